// SPDX-License-Identifier: Apache-2.0
//
// Kernels of gemm_sm80 run by the interpreter and compared with sums in
// double: maps of fragments, swizzles, rings of stages, tails, splits.

#include "compiler/target/cuda/Assembler.h"
#include "compiler/target/cuda/gemm_sm80/EmitGemm.h"
#include "runtime/format/Packer.h"
#include "test/unit/compiler/target/cpu/gemm_packed/TestTensor.h"
#include "test/unit/compiler/target/cuda/SimtInterpreter.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "mlir/IR/Verifier.h"

#include <cmath>

using namespace mlir;

namespace minic::cuda {
namespace {

using cpu::GuardedBytes;
using cpu::TestTensor;

std::string tensor(std::vector<int64_t> dims, const std::string &dtype) {
  std::string text = "tensor<";
  for (int64_t dim : dims) {
    text += std::to_string(dim) + "x";
  }
  return text + dtype + ">";
}

/// Memory aligned to 256 bytes: `bytes` long, for the interpreter's own checks.
struct Aligned {
  explicit Aligned(int64_t bytes, int fill = 0)
      : bytes(bytes), memory(size_t(bytes + 256), char(fill)) {
    auto address = reinterpret_cast<uintptr_t>(memory.data());
    data = memory.data() + (256 - address % 256) % 256;
  }
  int64_t bytes;
  std::vector<char> memory;
  char *data;
};

/// A fusion, its random operands, and its results by some schedule.
class Run {
public:
  Run(const std::vector<std::string> &arguments, const std::string &results,
      const std::string &body)
      : parsed_(arguments, results, body), fusion(parsed_.get()) {
    prepareContext(*fusion.getContext());
    std::string reason;
    auto analyzed = kernel::FusionShape::get(fusion, &reason);
    EXPECT_TRUE(succeeded(analyzed)) << reason;
    shape = *analyzed;
    uint64_t seed = 1;
    for (Value input : fusion.getInputs()) {
      inputs.push_back(
          TestTensor::random(cast<RankedTensorType>(input.getType()), seed++));
    }
  }

  void run(const GemmSm80Schedule &schedule) {
    SCOPED_TRACE(toString(schedule));
    std::string reason;
    auto geometry = GemmSm80Geometry::get(shape, schedule, &reason);
    ASSERT_TRUE(succeeded(geometry)) << reason;
    OwningOpRef<ModuleOp> device = ModuleOp::create(fusion.getLoc());
    emitGemm(fusion.getLoc(), *device, "kernel", shape, *geometry,
             int64_t(inputs.size()));
    ASSERT_TRUE(succeeded(verify(*device)));

    std::vector<Aligned> memory;
    for (auto [i, input] : llvm::enumerate(inputs)) {
      memory.push_back(place(input, layoutOf(*geometry, i)));
    }
    results.clear();
    for (Value result : fusion.getResults()) {
      results.push_back(
          TestTensor::poisoned(cast<RankedTensorType>(result.getType())));
      memory.emplace_back(
          results.back().elements() * results.back().elementBytes(), 0xff);
    }
    if (schedule.splitK > 1) {
      memory.emplace_back(geometry->workspaceBytes(), 0xff);
      memory.emplace_back(geometry->counterBytes(), 0);
    }
    std::vector<GlobalRange> parameters;
    for (Aligned &each : memory) {
      parameters.push_back({each.data, each.bytes});
    }
    // Twice, because the first run must leave its counters at zero.
    for (int i = 0; i != (schedule.splitK > 1 ? 2 : 1); ++i) {
      ASSERT_EQ(interpret(*device, "kernel", geometry->blocks(),
                          schedule.threads(), geometry->sharedBytes(),
                          parameters),
                "");
    }
    for (size_t i = 0; i != results.size(); ++i) {
      Aligned &from = memory[inputs.size() + i];
      std::memcpy(results[i].data(), from.data, size_t(from.bytes));
    }
  }

private:
  Attribute layoutOf(const GemmSm80Geometry &geometry, size_t argument) {
    for (const GemmOperand *operand : {&geometry.lhs, &geometry.rhs}) {
      if (size_t(operand->argument) == argument) {
        return operand->layout;
      }
    }
    return UnitAttr::get(fusion.getContext());
  }
  static Aligned place(TestTensor &dense, Attribute attribute) {
    auto layout = dyn_cast<kernel::LayoutAttr>(attribute);
    if (!layout) {
      Aligned made(dense.elements() * dense.elementBytes());
      std::memcpy(made.data, dense.data(), size_t(made.bytes));
      return made;
    }
    auto copy = [](ArrayRef<int64_t> values) {
      return std::vector<int64_t>(values.begin(), values.end());
    };
    runtime::BlockedLayout blocked{
        copy(layout.getOrder()), copy(layout.getBlockDims()),
        copy(layout.getBlockSizes()), copy(layout.getPadded())};
    Aligned made(blocked.elements() * dense.elementBytes());
    runtime::pack(dense.data(), dense.dims, dense.elementBytes(), blocked,
                  made.data);
    return made;
  }

  ParsedFusion parsed_;

public:
  kernel::FusionOp fusion;
  kernel::FusionShape shape;
  std::vector<TestTensor> inputs, results;
};

/// y = relu(x W^T + b) + r, checked.
void checkLinear(int64_t m, int64_t n, int64_t k, const std::string &dtype,
                 const GemmSm80Schedule &schedule) {
  std::string x = tensor({m, k}, dtype), w = tensor({n, k}, dtype),
              b = tensor({n}, dtype), y = tensor({m, n}, dtype);
  Run run({x, w, b, y}, y,
          "%l = graph.linear %0, %1, %2 : (" + x + ", " + w + ", " + b +
              ") -> " + y + "\n%r = graph.relu %l : " + y +
              "\n%s = graph.add %r, %3 : (" + y + ", " + y + ") -> " + y +
              "\nkernel.yield %s : " + y);
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" +
               std::to_string(k) + " " + dtype);
  ASSERT_NO_FATAL_FAILURE(run.run(schedule));
  int bad = 0;
  for (int64_t at = 0; at != m * n; ++at) {
    double sum = 0, size = 0;
    for (int64_t i = 0; i != k; ++i) {
      double product =
          run.inputs[0].get(at / n * k + i) * run.inputs[1].get(at % n * k + i);
      sum += product;
      size += std::abs(product);
    }
    double bias = run.inputs[2].get(at % n), more = run.inputs[3].get(at);
    double expected = std::max(sum + bias, 0.0) + more;
    double products = schedule.math == GemmMath::Tf32 ? 1e-3 : 3e-6;
    double tolerance = products * (size + 1) +
                       run.results[0].roundoff() * (std::abs(expected) + 1e-3);
    double found = run.results[0].get(at);
    if (!(std::abs(found - expected) <= tolerance) && ++bad < 4) {
      ADD_FAILURE() << "at " << at / n << ", " << at % n << ": " << found
                    << " instead of " << expected << " with "
                    << toString(schedule);
    }
  }
  EXPECT_EQ(bad, 0);
}

GemmSm80Schedule schedule(int64_t bm, int64_t bn, int64_t bk, int64_t warpsM,
                          int64_t warpsN, int64_t warpsK, int64_t stages,
                          int64_t splitK = 1, GemmMath math = GemmMath::Mma) {
  GemmSm80Schedule made;
  made.bm = bm, made.bn = bn, made.bk = bk;
  made.warpsM = warpsM, made.warpsN = warpsN, made.warpsK = warpsK;
  made.stages = stages, made.splitK = splitK, made.math = math;
  return made;
}

TEST(GemmSm80Run, WholeTiles) {
  checkLinear(64, 64, 128, "bf16", schedule(64, 64, 64, 2, 2, 1, 3));
  checkLinear(64, 64, 128, "f16", schedule(32, 64, 32, 2, 2, 1, 4));
  checkLinear(32, 64, 256, "bf16", schedule(16, 32, 128, 1, 2, 1, 2));
  checkLinear(32, 32, 96, "bf16", schedule(16, 32, 16, 1, 2, 1, 5));
}

TEST(GemmSm80Run, Tails) {
  // M, N and K that no tile divides; K by 8 bytes, by 4, and padded.
  checkLinear(37, 45, 68, "bf16", schedule(32, 32, 32, 2, 2, 1, 3));
  checkLinear(37, 46, 70, "bf16", schedule(16, 32, 64, 1, 2, 1, 4));
  GemmSm80Schedule padded = schedule(32, 32, 32, 2, 2, 1, 3);
  padded.padLhs = true;
  checkLinear(37, 46, 71, "bf16", padded);
  checkLinear(5, 3, 7, "f16", padded);
  checkLinear(1, 20, 40, "bf16", schedule(16, 32, 32, 1, 2, 1, 2));
}

TEST(GemmSm80Run, OddTiles) {
  checkLinear(60, 100, 64, "bf16", schedule(48, 96, 32, 1, 2, 1, 3));
  checkLinear(40, 64, 64, "bf16", schedule(48, 48, 64, 1, 1, 1, 2));
  // More threads than a tile's rows.
  checkLinear(20, 64, 64, "bf16", schedule(16, 64, 32, 1, 4, 2, 2));
}

TEST(GemmSm80Run, WarpsAlongK) {
  checkLinear(32, 32, 192, "bf16", schedule(32, 32, 64, 1, 1, 4, 3));
  checkLinear(32, 32, 100, "bf16", schedule(16, 32, 128, 1, 1, 2, 2));
}

TEST(GemmSm80Run, SplitK) {
  checkLinear(40, 32, 320, "bf16", schedule(32, 32, 32, 2, 2, 1, 3, 4));
  checkLinear(40, 36, 200, "bf16", schedule(32, 32, 64, 2, 1, 2, 2, 2));
  checkLinear(40, 33, 300, "bf16", schedule(32, 32, 32, 1, 2, 1, 3, 3));
}

TEST(GemmSm80Run, Raster) {
  GemmSm80Schedule one = schedule(16, 16, 32, 1, 1, 1, 2);
  for (int64_t group : {1, 2, 3, 8}) {
    one.group = group;
    checkLinear(80, 48, 32, "bf16", one);
  }
}

TEST(GemmSm80Run, Float32) {
  for (GemmMath math : {GemmMath::Tf32, GemmMath::Tf32x3, GemmMath::Ffma}) {
    checkLinear(40, 44, 67, "f32", schedule(32, 32, 32, 1, 2, 1, 3, 1, math));
    checkLinear(64, 32, 128, "f32", schedule(64, 32, 16, 2, 1, 2, 4, 1, math));
    checkLinear(33, 64, 130, "f32", schedule(32, 64, 32, 1, 2, 2, 2, 2, math));
  }
  checkLinear(70, 72, 50, "f32",
              schedule(64, 64, 32, 1, 2, 1, 3, 1, GemmMath::Ffma));
}

} // namespace
} // namespace minic::cuda
