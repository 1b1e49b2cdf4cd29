// SPDX-License-Identifier: Apache-2.0
//
// Run-time relayouts against the packer that prepares constants.

#include "compiler/target/cpu/relayout/Relayout.h"

#include "dialects/RegisterDialects.h"
#include "runtime/format/Packer.h"
#include "test/unit/compiler/target/cpu/LoweredFusion.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <numeric>

using namespace mlir;

namespace minic::cpu {
namespace {

class RelayoutTest : public testing::Test {
protected:
  RelayoutTest() : context(registry()) { prepareContext(context); }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  kernel::RelayoutOp parse(const std::string &from, const std::string &to) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: " + from + ") {\n%r = kernel.relayout %x : " + from +
            " to " + to + "\nreturn\n}",
        &context);
    EXPECT_TRUE(module);
    return onlyOp<kernel::RelayoutOp>(*module);
  }

  /// Runs the relayout of `dtype` with `dims` and compares every byte.
  void check(const std::string &dtype, const std::vector<int64_t> &dims,
             const std::string &layout) {
    std::string shape;
    for (int64_t dim : dims) {
      shape += std::to_string(dim) + "x";
    }
    SCOPED_TRACE(shape + dtype + " " + layout);
    kernel::RelayoutOp op =
        parse("tensor<" + shape + dtype + ">",
              "tensor<" + shape + dtype + ", #kernel.layout<" + layout + ">>");
    auto type = cast<RankedTensorType>(op.getType());
    kernel::LayoutAttr attr = kernel::getLayout(type);
    int64_t elementBytes = kernel::getElementBytes(type.getElementType());
    int64_t bytes = kernel::getBytes(type);

    std::vector<uint8_t> source(type.getNumElements() * elementBytes + 64);
    std::iota(source.begin(), source.end(), 1);
    std::vector<uint8_t> expected(bytes), got(bytes + 64, 0xa5);
    auto vec = [](ArrayRef<int64_t> values) { return values.vec(); };
    runtime::pack(source.data(), dims, elementBytes,
                  {vec(attr.getOrder()), vec(attr.getBlockDims()),
                   vec(attr.getBlockSizes()), vec(attr.getPadded())},
                  expected.data());

    RecordingPlanBuilder plan(&context);
    ASSERT_TRUE(succeeded(lowerRelayout(op, plan)));
    if (auto fill = onlyOp<plan::FillOp>(*plan.module)) {
      std::fill(got.begin(), got.begin() + bytes, uint8_t(fill.getValue()));
    } else if (auto launch = onlyOp<plan::LaunchOp>(*plan.module)) {
      for (std::string isa : {"", "v3"}) {
        OwningOpRef<ModuleOp> device = ModuleOp::create(op.getLoc());
        ASSERT_TRUE(succeeded(
            emitRelayout(onlyOp<plan::KernelOp>(*plan.module), *device)));
        auto object = assemble(*device, getCpuProfile(2, isa));
        ASSERT_TRUE(succeeded(object));
        runLaunch(*object, launch, {source.data(), got.data()});
      }
    } else {
      EXPECT_EQ(bytes, 0);
    }
    for (int64_t i = 0; i != bytes; ++i) {
      ASSERT_EQ(got[i], expected[i]) << "byte " << i;
    }
    for (int64_t i = bytes; i != bytes + 64; ++i) {
      ASSERT_EQ(got[i], 0xa5) << "written past the end";
    }
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(RelayoutTest, PanelsOfColumns) {
  check("f32", {7, 37}, "order = [1, 0], blocks = [[1, 32]], padded = [7, 64]");
  check("f32", {64, 64},
        "order = [1, 0], blocks = [[1, 64]], padded = [64, 64]");
  check("f32", {1, 1}, "order = [1, 0], blocks = [[1, 16]], padded = [1, 16]");
  check("f32", {300, 129},
        "order = [1, 0], blocks = [[1, 32]], padded = [300, 160]");
}

TEST_F(RelayoutTest, PanelsOfATransposedOperand) {
  check("f32", {37, 7}, "order = [0, 1], blocks = [[0, 32]], padded = [64, 7]");
  check("f16", {127, 65},
        "order = [0, 1], blocks = [[0, 64]], padded = [128, 65]");
}

TEST_F(RelayoutTest, PairsOfK) {
  check("bf16", {7, 37},
        "order = [1, 0], blocks = [[1, 32], [0, 2]], padded = [8, 64]");
  check("bf16", {37, 7},
        "order = [0, 1], blocks = [[0, 32], [1, 2]], padded = [64, 8]");
  check("bf16", {64, 32},
        "order = [0, 1], blocks = [[0, 32], [1, 2]], padded = [64, 32]");
}

TEST_F(RelayoutTest, Batches) {
  check("f32", {3, 5, 17},
        "order = [0, 2, 1], blocks = [[2, 16]], padded = [3, 5, 32]");
  check("bf16", {2, 3, 17, 9},
        "order = [0, 1, 2, 3], blocks = [[2, 16], [3, 2]], "
        "padded = [2, 3, 32, 10]");
}

TEST_F(RelayoutTest, OddBlocksAndPitches) {
  check("f32", {5, 3420}, "order = [0, 1], blocks = [], padded = [5, 3424]");
  check("i8", {5, 30},
        "order = [0, 1], blocks = [[0, 3], [1, 5]], "
        "padded = [6, 30]");
  check("i64", {4, 6},
        "order = [1, 0], blocks = [[0, 2], [0, 2]], "
        "padded = [4, 6]");
  check("i1", {9, 9}, "order = [1, 0], blocks = [], padded = [9, 9]");
  check("f32", {}, "order = [], blocks = [], padded = []");
}

TEST_F(RelayoutTest, PaddingOfAnEmptyTensorIsZero) {
  check("f32", {0, 5}, "order = [1, 0], blocks = [[1, 16]], padded = [2, 16]");
  check("f32", {0, 5}, "order = [1, 0], blocks = [], padded = [0, 5]");
}

TEST_F(RelayoutTest, RefusesToUnpack) {
  std::string packed = "tensor<4x6xf32, #kernel.layout<order = [1, 0], "
                       "blocks = [], padded = [4, 6]>>";
  kernel::RelayoutOp op = parse(packed, "tensor<4x6xf32>");
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  RecordingPlanBuilder plan(&context);
  EXPECT_TRUE(failed(lowerRelayout(op, plan)));
  EXPECT_NE(message.find("goes from dense to packed"), std::string::npos);
}

} // namespace
} // namespace minic::cpu
