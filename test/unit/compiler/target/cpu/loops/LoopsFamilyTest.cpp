// SPDX-License-Identifier: Apache-2.0
//
// Bodies as scalar loops, compiled and run, against float64 loops of the test;
// and which bodies there are no such loops for.

#include "compiler/target/cpu/loops/LoopsFamily.h"

#include "test/unit/compiler/target/cpu/LoweredFusion.h"
#include "test/unit/compiler/target/cpu/pointwise/DenseTensor.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "gmock/gmock.h"

using ::testing::HasSubstr;

namespace minic::cpu {
namespace {

using Tensors = std::vector<DenseTensor>;

DenseTensor filled(const std::string &dtype, std::vector<int64_t> dims,
                   uint32_t seed) {
  DenseTensor tensor(dtype, std::move(dims));
  tensor.fill(seed);
  return tensor;
}

/// Runs a body on `inputs` and returns its result.
DenseTensor run(Tensors &inputs, const std::string &dtype,
                const std::vector<int64_t> &dims, const std::string &body) {
  DenseTensor result(dtype, dims);
  std::vector<std::string> types;
  std::vector<void *> addresses;
  for (DenseTensor &input : inputs) {
    types.push_back(input.type());
    addresses.push_back(input.data());
  }
  addresses.push_back(result.data());
  ParsedFusion parsed(types, result.type(), body);
  runFusion(LoopsFamily(), parsed.get(), addresses);
  return result;
}

/// Why there are no loops for a body on a tensor<4x8xf32>.
std::string reasonAgainst(const std::string &results, const std::string &body) {
  ParsedFusion parsed({"tensor<4x8xf32>"}, results, body);
  return LoopsFamily()
      .reject(parsed.get(), getCpuProfile(2, ""))
      .value_or("none");
}

double near(const DenseTensor &got, double want) {
  return std::fabs(want) * (got.roundoff() + 0x1p-18) + 0x1p-18;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

TEST(Loops, ReducesAnyAxes) {
  for (std::string dtype : {"f32", "bf16", "f16"}) {
    SCOPED_TRACE(dtype);
    Tensors inputs;
    inputs.push_back(filled(dtype, {3, 5, 7, 2}, 1));
    DenseTensor got = run(inputs, dtype, {5, 2},
                          "%r = graph.reduce sum, %0 [0, 2] : tensor<3x5x7x2x" +
                              dtype + "> -> tensor<5x2x" + dtype +
                              ">\nkernel.yield %r : " + tensor({5, 2}, dtype));
    for (int64_t i = 0; i != 10; ++i) {
      double want = 0;
      for (int64_t a = 0; a != 3; ++a) {
        for (int64_t c = 0; c != 7; ++c) {
          want += inputs[0].get(((a * 5 + i / 2) * 7 + c) * 2 + i % 2);
        }
      }
      EXPECT_NEAR(got.get(i), want, near(got, want) + 0x1p-18 * 42);
    }
  }
}

TEST(Loops, ReducesToOneElement) {
  Tensors inputs;
  inputs.push_back(filled("f32", {33}, 2));
  DenseTensor got = run(inputs, "f32", {}, R"(
    %r = graph.reduce max, %0 [0] : tensor<33xf32> -> tensor<f32>
    kernel.yield %r : tensor<f32>)");
  double want = inputs[0].get(0);
  for (int64_t i = 1; i != 33; ++i) {
    want = std::max(want, inputs[0].get(i));
  }
  EXPECT_EQ(got.get(0), want);
}

TEST(Loops, KeepsNanOfAnExtreme) {
  Tensors inputs;
  inputs.push_back(filled("f32", {2, 3}, 3));
  inputs[0].set(4, std::nan(""));
  DenseTensor got = run(inputs, "f32", {2}, R"(
    %r = graph.reduce min, %0 [1] : tensor<2x3xf32> -> tensor<2xf32>
    kernel.yield %r : tensor<2xf32>)");
  EXPECT_FALSE(std::isnan(got.get(0)));
  EXPECT_TRUE(std::isnan(got.get(1)));
}

TEST(Loops, ComputesWhatIsReducedAndWhatFollows) {
  Tensors inputs;
  inputs.push_back(filled("f32", {4, 7}, 4));
  DenseTensor got = run(inputs, "f32", {4, 1}, R"(
    %s = graph.mul %0, %0 : tensor<4x7xf32>
    %m = graph.reduce mean, %s [1] {keep_dims} : tensor<4x7xf32> -> tensor<4x1xf32>
    %r = graph.sqrt %m : tensor<4x1xf32>
    kernel.yield %r : tensor<4x1xf32>)");
  for (int64_t i = 0; i != 4; ++i) {
    double sum = 0;
    for (int64_t j = 0; j != 7; ++j) {
      sum += inputs[0].get(i * 7 + j) * inputs[0].get(i * 7 + j);
    }
    EXPECT_NEAR(got.get(i), std::sqrt(sum / 7), near(got, std::sqrt(sum / 7)));
  }
}

TEST(Loops, WritesNothingForNoElements) {
  Tensors inputs;
  inputs.emplace_back("f32", std::vector<int64_t>{0, 7});
  run(inputs, "f32", {0}, R"(
    %r = graph.reduce sum, %0 [1] : tensor<0x7xf32> -> tensor<0xf32>
    kernel.yield %r : tensor<0xf32>)");
}

//===----------------------------------------------------------------------===//
// Other ops with maps
//===----------------------------------------------------------------------===//

/// Outside of the image a convolution reads zeros; groups divide an index.
TEST(Loops, ConvolvesWithPadsAndGroups) {
  Tensors inputs;
  inputs.push_back(filled("f16", {1, 5, 6, 4}, 5));
  inputs.push_back(filled("f16", {6, 2, 3, 3}, 6));
  inputs.push_back(filled("f16", {6}, 7));
  DenseTensor got = run(inputs, "f16", {1, 3, 6, 6}, R"(
    %r = graph.conv2d %0, %1, %2 {layout = "nhwc", groups = 2 : i64,
        strides = array<i64: 2, 1>, pads = array<i64: 1, 2, 1, 0>}
      : (tensor<1x5x6x4xf16>, tensor<6x2x3x3xf16>, tensor<6xf16>)
      -> tensor<1x3x6x6xf16>
    kernel.yield %r : tensor<1x3x6x6xf16>)");
  for (int64_t p = 0; p != 3; ++p) {
    for (int64_t q = 0; q != 6; ++q) {
      for (int64_t k = 0; k != 6; ++k) {
        double want = inputs[2].get(k);
        for (int64_t tap = 0; tap != 18; ++tap) {
          int64_t c = tap / 9, y = p * 2 + tap / 3 % 3 - 1, x = q + tap % 3 - 2;
          if (y >= 0 && y < 5 && x >= 0 && x < 6) {
            want += inputs[0].get((y * 6 + x) * 4 + k / 3 * 2 + c) *
                    inputs[1].get(k * 18 + tap);
          }
        }
        EXPECT_NEAR(got.get((p * 6 + q) * 6 + k), want,
                    near(got, want) + 0x1p-16)
            << p << ", " << q << ", " << k;
      }
    }
  }
}

/// A matrix that the kernel computes is rounded to its dtype.
TEST(Loops, MultipliesAComputedMatrixWithItself) {
  Tensors inputs;
  inputs.push_back(filled("f16", {3, 5}, 8));
  DenseTensor got = run(inputs, "f32", {3, 3}, R"(
    %e = graph.mul %0, %0 : tensor<3x5xf16>
    %p = graph.matmul %e, %e {transpose_rhs} : (tensor<3x5xf16>, tensor<3x5xf16>) -> tensor<3x3xf16>
    %r = graph.cast %p : tensor<3x3xf16> to tensor<3x3xf32>
    kernel.yield %r : tensor<3x3xf32>)");
  for (int64_t i = 0; i != 9; ++i) {
    double want = 0;
    for (int64_t j = 0; j != 5; ++j) {
      double left = inputs[0].get(i / 3 * 5 + j);
      double right = inputs[0].get(i % 3 * 5 + j);
      want += double(_Float16(left * left)) * double(_Float16(right * right));
    }
    EXPECT_NEAR(got.get(i), want, std::fabs(want) * 0x1p-20);
  }
}

/// No stride says where the elements are.
TEST(Loops, ReadsAReshapedTranspose) {
  Tensors inputs;
  inputs.push_back(filled("i32", {4, 6}, 9));
  DenseTensor got = run(inputs, "i32", {3, 8}, R"(
    %t = graph.transpose %0 [1, 0] : tensor<4x6xi32> -> tensor<6x4xi32>
    %s = graph.reshape %t : tensor<6x4xi32> to tensor<3x8xi32>
    %r = graph.add %s, %s : tensor<3x8xi32>
    kernel.yield %r : tensor<3x8xi32>)");
  for (int64_t i = 0; i != 24; ++i) {
    EXPECT_EQ(got.get(i), 2 * inputs[0].get(i % 4 * 6 + i / 4));
  }
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

TEST(Loops, RefusesSeveralPasses) {
  EXPECT_EQ(reasonAgainst("tensor<4x8xf32>", R"(
    %r = graph.softmax %0 axis = 1 : tensor<4x8xf32>
    kernel.yield %r : tensor<4x8xf32>)"),
            "graph.softmax takes more than one pass");
  EXPECT_EQ(reasonAgainst("tensor<4xf32>", R"(
    %a = graph.reduce max, %0 [1] {keep_dims} : tensor<4x8xf32> -> tensor<4x1xf32>
    %r = graph.reduce sum, %a [1] : tensor<4x1xf32> -> tensor<4xf32>
    kernel.yield %r : tensor<4xf32>)"),
            "more than one reduction in the body");
}

TEST(Loops, RefusesResultsOfOtherShapes) {
  EXPECT_EQ(reasonAgainst("tensor<4x8xf32>", R"(
    %m = graph.reduce max, %0 [1] {keep_dims} : tensor<4x8xf32> -> tensor<4x1xf32>
    %r = graph.sub %0, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    kernel.yield %r : tensor<4x8xf32>)"),
            "a result of another shape than its reduction's");
  EXPECT_EQ(reasonAgainst("(tensor<4x8xf32>, tensor<4xf32>)", R"(
    %e = graph.exp %0 : tensor<4x8xf32>
    %m = graph.reduce max, %e [1] : tensor<4x8xf32> -> tensor<4xf32>
    kernel.yield %e, %m : tensor<4x8xf32>, tensor<4xf32>)"),
            "a result of another shape than its reduction's");
}

TEST(Loops, RefusesAReductionReadElsewhere) {
  ParsedFusion parsed({"tensor<4x4xf32>", "tensor<4x4xf32>"}, "tensor<4x4xf32>",
                      R"(
    %p = graph.matmul %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %t = graph.transpose %p [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
    kernel.yield %t : tensor<4x4xf32>)");
  EXPECT_EQ(LoopsFamily().reject(parsed.get(), getCpuProfile(2, "")),
            "a reduction's result is read at another index");
}

TEST(Loops, RefusesScheduleThatIsNone) {
  ParsedFusion parsed({"tensor<4x8xf32>"}, "tensor<4xf32>", R"(
    %r = graph.reduce sum, %0 [1] : tensor<4x8xf32> -> tensor<4xf32>
    kernel.yield %r : tensor<4xf32>)");
  kernel::FusionOp fusion = parsed.get();
  mlir::Builder b(fusion.getContext());
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      fusion.getContext(),
      [&](mlir::Diagnostic &diagnostic) { message += diagnostic.str(); });
  RecordingPlanBuilder plan(fusion.getContext());
  for (int64_t tile : {0, -1}) {
    fusion.setImplAttr(
        kernel::ImplAttr::get(fusion.getContext(), "loops",
                              b.getDictionaryAttr(b.getNamedAttr(
                                  "tile", b.getI64IntegerAttr(tile)))));
    EXPECT_TRUE(failed(LoopsFamily().lower(fusion, plan)));
  }
  EXPECT_THAT(message, HasSubstr("loops expects a schedule {tile = N} with N "
                                 "of at least 1, got {tile = -1 : i64}"));
}

} // namespace
} // namespace minic::cpu
