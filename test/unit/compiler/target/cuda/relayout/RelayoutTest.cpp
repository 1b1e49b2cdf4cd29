// SPDX-License-Identifier: Apache-2.0
//
// Run-time relayouts run by the interpreter: the same bytes that constants are
// packed to.

#include "compiler/target/cuda/relayout/Relayout.h"

#include "test/unit/compiler/target/cuda/InterpretedFusion.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace minic::cuda {
namespace {

using Dims = std::vector<int64_t>;

struct Layout {
  Dims order, blockDims, blockSizes, padded;
};

void check(const Dims &shape, const std::string &dtype, const Layout &layout,
           int smCount = 132) {
  ParsedFusion parsed({"tensor<1xf32>"}, "tensor<1xf32>",
                      "%r = graph.relu %0 : tensor<1xf32>\n"
                      "kernel.yield %r : tensor<1xf32>");
  MLIRContext *context = parsed.get().getContext();
  prepareContext(*context);
  Builder b(context);
  Type element = dtype == "bf16" ? Type(b.getBF16Type())
                 : dtype == "i1" ? Type(b.getI1Type())
                                 : Type(b.getF32Type());
  auto attr = kernel::LayoutAttr::get(context, layout.order, layout.blockDims,
                                      layout.blockSizes, layout.padded);
  auto from = RankedTensorType::get(shape, element);
  auto to = RankedTensorType::get(shape, element, attr);
  LaunchRecorder plan(context);
  OpBuilder &builder = plan.builder();
  Location loc = builder.getUnknownLoc();
  Value input =
      UnrealizedConversionCastOp::create(builder, loc, from, ValueRange())
          .getResult(0);
  auto op = kernel::RelayoutOp::create(builder, loc, to, input);
  DeviceProfile profile = *getCudaProfile("h200");
  profile.smCount = smCount;
  ASSERT_TRUE(succeeded(lowerRelayout(op, plan, profile)));
  auto launch = cpu::onlyOp<plan::LaunchOp>(*plan.module);
  ASSERT_TRUE(launch);
  OwningOpRef<ModuleOp> device = ModuleOp::create(loc);
  ASSERT_TRUE(succeeded(emitRelayout(cpu::onlyOp<plan::KernelOp>(*plan.module),
                                     profile, *device)));

  auto dense = cpu::TestTensor::random(from, 7);
  runtime::BlockedLayout blocked{layout.order, layout.blockDims,
                                 layout.blockSizes, layout.padded};
  int64_t bytes = blocked.elements() * dense.elementBytes();
  std::vector<char> expected(static_cast<size_t>(bytes));
  runtime::pack(dense.data(), dense.dims, dense.elementBytes(), blocked,
                expected.data());
  DeviceBytes source(dense.elements() * dense.elementBytes()), packed(bytes);
  std::memcpy(source.data(), dense.data(), size_t(source.bytes));
  ASSERT_EQ(interpret(*device, launch.getEntry(), launch.getGrid()[0],
                      launch.getBlock()[0], 0,
                      {{source.data(), source.bytes}, {packed.data(), bytes}}),
            "");
  EXPECT_EQ(std::memcmp(packed.data(), expected.data(), size_t(bytes)), 0);
  auto ptx = emitPtx(*device, profile);
  ASSERT_TRUE(succeeded(ptx));
  std::vector<KernelResources> resources;
  ASSERT_TRUE(succeeded(assembleCubin(*ptx, profile.cpu, *device, &resources)));
  for (const KernelResources &kernel : resources) {
    EXPECT_EQ(kernel.spillBytes, 0);
  }
}

TEST(CudaRelayout, PadsRows) {
  check({5, 60}, "bf16", {{0, 1}, {}, {}, {5, 64}});
  check({5, 61}, "bf16", {{0, 1}, {}, {}, {5, 64}});
  check({7, 3420}, "bf16", {{0, 1}, {}, {}, {7, 3424}});
  check({3, 5}, "f32", {{0, 1}, {}, {}, {4, 8}});
}

TEST(CudaRelayout, Transposes) {
  check({24, 40}, "bf16", {{1, 0}, {}, {}, {24, 40}});
  check({24, 41}, "f32", {{1, 0}, {}, {}, {32, 41}});
  check({3, 5, 7}, "f32", {{2, 0, 1}, {}, {}, {3, 5, 7}});
}

TEST(CudaRelayout, Blocks) {
  check({64, 32}, "bf16", {{0, 1}, {0, 1}, {32, 2}, {64, 32}});
  check({61, 31}, "bf16", {{0, 1}, {0, 1}, {32, 2}, {64, 32}});
  check({30, 20}, "f32", {{1, 0}, {0}, {16}, {32, 20}});
}

// What fills a chip of one SM with four blocks: up to four vectors a thread.
TEST(CudaRelayout, MovesSeveralVectorsPerThread) {
  check({11, 3420}, "bf16", {{0, 1}, {}, {}, {11, 3424}}, /*smCount=*/1);
  check({11, 3419}, "bf16", {{0, 1}, {}, {}, {11, 3424}}, /*smCount=*/1);
  check({30, 1024}, "bf16", {{0, 1}, {}, {}, {32, 1024}}, /*smCount=*/1);
  check({150, 41}, "f32", {{1, 0}, {}, {}, {152, 41}}, /*smCount=*/1);
}

TEST(CudaRelayout, MovesEveryDtype) {
  check({5, 30}, "i1", {{0, 1}, {}, {}, {5, 32}});
}

} // namespace
} // namespace minic::cuda
