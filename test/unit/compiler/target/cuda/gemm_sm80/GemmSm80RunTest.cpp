// SPDX-License-Identifier: Apache-2.0
//
// Kernels of gemm_sm80 run by the interpreter and compared with sums in
// double: maps of fragments, swizzles, rings of stages, tails, splits.

#include "compiler/target/cuda/Assembler.h"
#include "compiler/target/cuda/gemm_sm80/EmitGemm.h"
#include "runtime/format/Packer.h"
#include "test/unit/compiler/target/cpu/gemm_packed/TestTensor.h"
#include "test/unit/compiler/target/cuda/GatedProblem.h"
#include "test/unit/compiler/target/cuda/SimtInterpreter.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Verifier.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

using namespace mlir;

namespace minic::cuda {
namespace {

using cpu::GuardedBytes;
using cpu::TestTensor;

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
class GemmRun {
public:
  GemmRun(const std::vector<std::string> &arguments, const std::string &results,
          const std::string &body)
      : parsed_(arguments, results, body), fusion(parsed_.get()) {
    prepareContext(*fusion.getContext());
    std::string reason;
    auto analyzed =
        kernel::FusionShape::get(fusion, &reason, kernel::ColumnTurns::Taken);
    EXPECT_TRUE(succeeded(analyzed)) << reason;
    shape = *analyzed;
    uint64_t seed = 1;
    for (Value input : fusion.getInputs()) {
      inputs.push_back(
          TestTensor::random(cast<RankedTensorType>(input.getType()), seed++));
    }
  }

  /// What the interpreter is to say; nothing as a rule.
  std::string expectedError;
  bool rhsIsConstant = false;

  void run(const GemmSm80Schedule &schedule,
           std::function<void(ModuleOp)> change = {}) {
    SCOPED_TRACE(toString(schedule));
    std::string reason;
    auto geometry = GemmSm80Geometry::get(shape, schedule, &reason);
    ASSERT_TRUE(succeeded(geometry)) << reason;
    OwningOpRef<ModuleOp> device = ModuleOp::create(fusion.getLoc());
    llvm::SmallBitVector constants(unsigned(inputs.size()));
    constants[1] = rhsIsConstant;
    emitGemm(fusion.getLoc(), *device, "kernel", shape, *geometry, constants);
    ASSERT_TRUE(succeeded(verify(*device)));
    if (change) {
      change(*device);
    }

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
    if (geometry->raster.meetsInMemory()) {
      memory.emplace_back(geometry->workspaceBytes(), 0xff);
      memory.emplace_back(geometry->counterBytes(), 0);
    }
    std::vector<GlobalRange> parameters;
    for (Aligned &each : memory) {
      parameters.push_back({each.data, each.bytes});
    }
    // Twice, because the first run must leave its counters at zero.
    for (int i = 0; i != (schedule.splitK > 1 ? 2 : 1); ++i) {
      std::string error =
          interpret(*device, "kernel", geometry->blocks(), schedule.threads(),
                    geometry->sharedBytes(), parameters, /*blocksY=*/1,
                    schedule.clustered ? schedule.splitK : 1);
      if (!expectedError.empty()) {
        EXPECT_THAT(error, testing::HasSubstr(expectedError));
        return;
      }
      ASSERT_EQ(error, "");
    }
    for (size_t i = 0; i != results.size(); ++i) {
      Aligned &from = memory[inputs.size() + i];
      std::memcpy(results[i].data(), from.data, size_t(from.bytes));
    }
  }

private:
  Attribute layoutOf(const GemmSm80Geometry &geometry, size_t argument) {
    for (const GemmOperand *operand : geometry.copied()) {
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
                 const GemmSm80Schedule &schedule, bool rhsIsConstant = false) {
  std::string x = tensor({m, k}, dtype), w = tensor({n, k}, dtype),
              b = tensor({n}, dtype), y = tensor({m, n}, dtype);
  GemmRun run({x, w, b, y}, y,
              "%l = graph.linear %0, %1, %2 : (" + x + ", " + w + ", " + b +
                  ") -> " + y + "\n%r = graph.relu %l : " + y +
                  "\n%s = graph.add %r, %3 : (" + y + ", " + y + ") -> " + y +
                  "\nkernel.yield %s : " + y);
  run.rhsIsConstant = rhsIsConstant;
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

void checkGated(const GatedProblem &problem, const GemmSm80Schedule &schedule) {
  GemmRun run(problem.arguments(), problem.result(), problem.body());
  ASSERT_NO_FATAL_FAILURE(run.run(schedule));
  SCOPED_TRACE(toString(schedule));
  problem.check(run.inputs, run.results[0],
                schedule.math == GemmMath::Tf32 ? 1e-3 : 3e-6);
}

/// Two columns of sums make one of results.
TEST(GemmSm80Run, GatedUnits) {
  checkGated({32, 32, 64}, schedule(16, 64, 64, 1, 2, 1, 2));
  checkGated({1, 48, 128}, schedule(16, 32, 64, 1, 2, 2, 2));
  // Of fewer results at a time: columns by 4, 2 and 1.
  checkGated({5, 36, 64}, schedule(16, 32, 32, 1, 2, 1, 3));
  checkGated({37, 46, 70, "f16"}, schedule(16, 32, 64, 1, 2, 1, 4));
  checkGated({3, 5, 32}, schedule(16, 32, 32, 1, 2, 1, 3));
  checkGated({20, 21, 96, "bf16"}, schedule(16, 32, 32, 1, 2, 1, 2, 2));
  checkGated({9, 20, 48, "f32"},
             schedule(16, 32, 16, 1, 2, 1, 2, 1, GemmMath::Ffma));
  GemmSm80Schedule clustered = schedule(16, 32, 32, 1, 2, 1, 2, 2);
  clustered.clustered = true;
  checkGated({20, 24, 128}, clustered);
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

/// Blocks that share a tile add up its rows from each other's memory. They run
/// in lockstep here, so each has as many stages of K.
TEST(GemmSm80Run, Cluster) {
  auto cluster = [](GemmSm80Schedule one) {
    one.clustered = true;
    return one;
  };
  checkLinear(40, 32, 384, "bf16",
              cluster(schedule(32, 32, 32, 2, 2, 1, 3, 4)));
  checkLinear(40, 37, 200, "bf16",
              cluster(schedule(32, 32, 64, 2, 1, 2, 2, 2)));
  checkLinear(100, 33, 280, "f32",
              cluster(schedule(48, 32, 32, 1, 2, 1, 3, 3, GemmMath::Tf32x3)));
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

/// Batches of matmul with every layout of operands; rhs of a batch of 1.
TEST(GemmSm80Run, Matmul) {
  int64_t m = 20, n = 24, k = 40;
  for (bool transposeLhs : {false, true}) {
    for (bool transposeRhs : {false, true}) {
      for (int64_t rhsBatch : {3, 1}) {
        std::string a = transposeLhs ? tensor({2, 3, k, m}, "bf16")
                                     : tensor({2, 3, m, k}, "bf16");
        std::string b = transposeRhs ? tensor({rhsBatch, n, k}, "bf16")
                                     : tensor({rhsBatch, k, n}, "bf16");
        std::string y = tensor({2, 3, m, n}, "bf16");
        std::string flags = std::string(transposeLhs ? "transpose_lhs" : "") +
                            (transposeLhs && transposeRhs ? ", " : "") +
                            (transposeRhs ? "transpose_rhs" : "");
        SCOPED_TRACE(flags + std::to_string(rhsBatch));
        GemmRun run({a, b}, y,
                    "%l = graph.matmul %0, %1 {" + flags + "} : (" + a + ", " +
                        b + ") -> " + y + "\nkernel.yield %l : " + y);
        ASSERT_NO_FATAL_FAILURE(run.run(schedule(16, 32, 32, 1, 2, 1, 2)));
        int bad = 0;
        for (int64_t at = 0; at != 6 * m * n; ++at) {
          int64_t batch = at / (m * n), row = at / n % m, column = at % n;
          int64_t other = rhsBatch == 1 ? 0 : batch % 3;
          double sum = 0;
          for (int64_t i = 0; i != k; ++i) {
            int64_t x = transposeLhs ? i * m + row : row * k + i;
            int64_t w = transposeRhs ? column * k + i : i * n + column;
            sum += run.inputs[0].get(batch * m * k + x) *
                   run.inputs[1].get(other * n * k + w);
          }
          double found = run.results[0].get(at);
          bad += !(std::abs(found - sum) <= 4e-3 * std::abs(sum) + 1e-4);
        }
        EXPECT_EQ(bad, 0);
      }
    }
  }
}

/// K of no elements: what is left is the epilogue.
TEST(GemmSm80Run, EmptyK) {
  checkLinear(20, 24, 0, "bf16", schedule(16, 32, 32, 1, 2, 1, 3));
  checkLinear(20, 24, 0, "f32",
              schedule(32, 32, 32, 1, 2, 1, 2, 1, GemmMath::Ffma));
}

/// Weights are fetched before activations may be.
TEST(GemmSm80Run, Programmatic) {
  GemmSm80Schedule one = schedule(32, 32, 32, 2, 2, 1, 4);
  one.programmatic = true;
  checkLinear(40, 40, 200, "bf16", one, /*rhsIsConstant=*/true);
  checkLinear(40, 40, 48, "bf16", one, /*rhsIsConstant=*/true);
  one.splitK = 2;
  checkLinear(40, 40, 200, "bf16", one, /*rhsIsConstant=*/true);
}

/// The tests above are worth something: kernels without their barriers are
/// found out.
TEST(GemmSm80Run, MissingBarriersAreSeen) {
  std::string x = tensor({64, 128}, "bf16"), y = tensor({64, 64}, "bf16");
  GemmRun run({x, x}, y,
              "%l = graph.linear %0, %1 : (" + x + ", " + x + ") -> " + y +
                  "\nkernel.yield %l : " + y);
  auto first = schedule(64, 64, 32, 2, 2, 1, 3);
  auto barriersOf = [](ModuleOp device) {
    SmallVector<Operation *> barriers;
    device.walk([&](NVVM::BarrierOp barrier) { barriers.push_back(barrier); });
    return barriers;
  };
  size_t count = 0;
  run.run(first, [&](ModuleOp device) { count = barriersOf(device).size(); });
  ASSERT_GE(count, 4u);
  for (size_t i = 0; i != count; ++i) {
    run.expectedError = "shared memory";
    ASSERT_NO_FATAL_FAILURE(run.run(
        first, [&](ModuleOp device) { barriersOf(device)[i]->erase(); }))
        << "without barrier " << i;
  }
  // Nor may a copy be used that was not waited for.
  run.expectedError = "before its copy was waited for";
  run.run(first, [](ModuleOp device) {
    device.walk([](NVVM::CpAsyncWaitGroupOp wait) { wait.setN(2); });
  });
}

} // namespace
} // namespace minic::cuda
