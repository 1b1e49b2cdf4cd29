// SPDX-License-Identifier: Apache-2.0
//
// FusionShape on linear, matmul and pointwise bodies, and what it refuses.

#include "dialects/kernel/FusionShape.h"

#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace minic {
namespace {

using kernel::BroadcastMap;
using kernel::FusionShape;
using kernel::GemmShape;

std::string reasonFor(ParsedFusion &parsed) {
  std::string reason;
  EXPECT_TRUE(failed(FusionShape::get(parsed.get(), &reason)));
  return reason;
}

GemmShape gemmOf(ParsedFusion &parsed) {
  std::string reason;
  auto shape = FusionShape::get(parsed.get(), &reason);
  EXPECT_TRUE(succeeded(shape)) << reason;
  return *shape->gemm;
}

TEST(BroadcastMapTest, AlignsRightAndStopsAtOnes) {
  EXPECT_THAT(BroadcastMap::get({3, 4}, {2, 3, 4}).strides,
              ElementsAre(0, 4, 1));
  EXPECT_THAT(BroadcastMap::get({2, 1, 4}, {2, 3, 4}).strides,
              ElementsAre(4, 0, 1));
  EXPECT_THAT(BroadcastMap::get({}, {2, 3}).strides, ElementsAre(0, 0));
  EXPECT_THAT(BroadcastMap::get({1}, {1}).strides, ElementsAre(0));
}

TEST(FusionShapeTest, LinearFoldsLeadingDimensionsIntoRows) {
  ParsedFusion parsed(
      {"tensor<2x3x5xbf16>", "tensor<7x5xbf16>", "tensor<7xbf16>"},
      "tensor<2x3x7xbf16>", R"(
    %y = graph.linear %0, %1, %2
      : (tensor<2x3x5xbf16>, tensor<7x5xbf16>, tensor<7xbf16>)
      -> tensor<2x3x7xbf16>
    %z = graph.relu %y : tensor<2x3x7xbf16>
    kernel.yield %z : tensor<2x3x7xbf16>)");
  auto shape = FusionShape::get(parsed.get(), nullptr);
  ASSERT_TRUE(succeeded(shape));
  const GemmShape &gemm = *shape->gemm;
  EXPECT_EQ(gemm.m, 6);
  EXPECT_EQ(gemm.n, 7);
  EXPECT_EQ(gemm.k, 5);
  EXPECT_THAT(gemm.batch, IsEmpty());
  EXPECT_EQ(gemm.batchCount(), 1);
  EXPECT_EQ(gemm.bias, parsed.get().getBody().getArgument(2));
  EXPECT_EQ(gemm.lhsStrideM, 5);
  EXPECT_EQ(gemm.rhsStrideN, 5);
  EXPECT_EQ(gemm.rhsStrideK, 1);
  EXPECT_TRUE(gemm.resultType.isBF16());
  EXPECT_THAT(shape->space, ElementsAre(2, 3, 7));
  EXPECT_THAT(shape->epilogue, SizeIs(1));
  EXPECT_THAT(shape->prologue, IsEmpty());
  EXPECT_THAT(shape->epilogueInputs, IsEmpty());
}

TEST(FusionShapeTest, LinearOfAVectorHasOneRow) {
  ParsedFusion parsed({"tensor<5xf32>", "tensor<7x5xf32>"}, "tensor<7xf32>",
                      R"(
    %y = graph.linear %0, %1
      : (tensor<5xf32>, tensor<7x5xf32>) -> tensor<7xf32>
    kernel.yield %y : tensor<7xf32>)");
  GemmShape gemm = gemmOf(parsed);
  EXPECT_EQ(gemm.m, 1);
  EXPECT_FALSE(gemm.bias);
}

TEST(FusionShapeTest, TransposedOperandsAreStrides) {
  ParsedFusion parsed({"tensor<5x3xf32>", "tensor<7x5xf32>"}, "tensor<3x7xf32>",
                      R"(
    %y = graph.matmul %0, %1 {transpose_lhs, transpose_rhs}
      : (tensor<5x3xf32>, tensor<7x5xf32>) -> tensor<3x7xf32>
    kernel.yield %y : tensor<3x7xf32>)");
  GemmShape gemm = gemmOf(parsed);
  EXPECT_EQ(gemm.m, 3);
  EXPECT_EQ(gemm.k, 5);
  EXPECT_EQ(gemm.n, 7);
  EXPECT_EQ(gemm.lhsStrideM, 1);
  EXPECT_EQ(gemm.lhsStrideK, 3);
  EXPECT_EQ(gemm.rhsStrideN, 5);
  EXPECT_EQ(gemm.rhsStrideK, 1);
}

TEST(FusionShapeTest, BatchDimensionsBroadcast) {
  ParsedFusion parsed({"tensor<4x1x3x5xf32>", "tensor<2x5x7xf32>"},
                      "tensor<4x2x3x7xf32>", R"(
    %y = graph.matmul %0, %1
      : (tensor<4x1x3x5xf32>, tensor<2x5x7xf32>) -> tensor<4x2x3x7xf32>
    kernel.yield %y : tensor<4x2x3x7xf32>)");
  GemmShape gemm = gemmOf(parsed);
  EXPECT_THAT(gemm.batch, ElementsAre(4, 2));
  EXPECT_EQ(gemm.batchCount(), 8);
  EXPECT_THAT(gemm.lhsBatchStrides, ElementsAre(15, 0));
  EXPECT_THAT(gemm.rhsBatchStrides, ElementsAre(0, 35));
}

TEST(FusionShapeTest, ABatchOfRowsOverOneRhsIsMoreRows) {
  ParsedFusion parsed({"tensor<4x3x5xf32>", "tensor<1x5x7xf32>"},
                      "tensor<4x3x7xf32>", R"(
    %y = graph.matmul %0, %1
      : (tensor<4x3x5xf32>, tensor<1x5x7xf32>) -> tensor<4x3x7xf32>
    kernel.yield %y : tensor<4x3x7xf32>)");
  GemmShape gemm = gemmOf(parsed);
  EXPECT_EQ(gemm.m, 12);
  EXPECT_THAT(gemm.batch, IsEmpty());
}

TEST(FusionShapeTest, ATransposedLhsKeepsItsBatch) {
  ParsedFusion parsed({"tensor<4x5x3xf32>", "tensor<5x7xf32>"},
                      "tensor<4x3x7xf32>", R"(
    %y = graph.matmul %0, %1 {transpose_lhs}
      : (tensor<4x5x3xf32>, tensor<5x7xf32>) -> tensor<4x3x7xf32>
    kernel.yield %y : tensor<4x3x7xf32>)");
  EXPECT_THAT(gemmOf(parsed).batch, ElementsAre(4));
}

TEST(FusionShapeTest, PrologueAndEpilogueShareAnArgumentAndAnOp) {
  ParsedFusion parsed({"tensor<6x6xf32>", "tensor<6x6xf32>", "tensor<6xf32>"},
                      "(tensor<6x6xf32>, tensor<6x6xf32>)", R"(
    %x = graph.relu %0 : tensor<6x6xf32>
    %y = graph.linear %x, %1
      : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %s = graph.sigmoid %2 : tensor<6xf32>
    %t = graph.mul %y, %s : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6x6xf32>
    %u = graph.add %t, %x : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    kernel.yield %u, %y : tensor<6x6xf32>, tensor<6x6xf32>)");
  auto shape = FusionShape::get(parsed.get(), nullptr);
  ASSERT_TRUE(succeeded(shape));
  auto ops = parsed.get().getBodyOps();
  EXPECT_THAT(shape->prologue, ElementsAre(ops[0]));
  EXPECT_THAT(shape->epilogue, ElementsAre(ops[0], ops[2], ops[3], ops[4]));
  EXPECT_EQ(shape->anchor, ops[1]);
  auto arguments = parsed.get().getBody().getArguments();
  EXPECT_THAT(shape->epilogueInputs, ElementsAre(arguments[0], arguments[2]));
  EXPECT_THAT(shape->results,
              ElementsAre(ops[4]->getResult(0), ops[1]->getResult(0)));
}

TEST(FusionShapeTest, PointwiseBodyIteratesOverItsResults) {
  ParsedFusion parsed({"tensor<3x1xf32>", "tensor<4xf32>"},
                      "(tensor<3x4xf32>, tensor<3x4xi1>)", R"(
    %s = graph.add %0, %1 : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %c = graph.compare lt, %s, %1
      : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xi1>
    kernel.yield %s, %c : tensor<3x4xf32>, tensor<3x4xi1>)");
  auto shape = FusionShape::get(parsed.get(), nullptr);
  ASSERT_TRUE(succeeded(shape));
  EXPECT_FALSE(shape->anchor);
  EXPECT_FALSE(shape->gemm);
  EXPECT_THAT(shape->space, ElementsAre(3, 4));
  EXPECT_THAT(shape->epilogue, SizeIs(2));
}

TEST(FusionShapeTest, PointwiseBodyMayMoveElements) {
  ParsedFusion parsed({"tensor<3x4xf32>"}, "tensor<4x3xf32>", R"(
    %t = graph.transpose %0 [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
    kernel.yield %t : tensor<4x3xf32>)");
  EXPECT_TRUE(succeeded(FusionShape::get(parsed.get(), nullptr)));
}

TEST(FusionShapeTest, ConvolutionByName) {
  ParsedFusion parsed({"tensor<2x9x8x6xbf16>", "tensor<4x3x3x2xbf16>",
                       "tensor<4xbf16>", "tensor<4xbf16>"},
                      "tensor<2x5x11x4xbf16>", R"(
    %y = graph.conv2d %0, %1, %2 {layout = "nhwc", groups = 2 : i64,
        strides = array<i64: 2, 1>, pads = array<i64: 1, 2, 3, 4>,
        dilations = array<i64: 2, 3>}
      : (tensor<2x9x8x6xbf16>, tensor<4x3x3x2xbf16>, tensor<4xbf16>)
      -> tensor<2x5x11x4xbf16>
    %z = graph.mul %y, %3
      : (tensor<2x5x11x4xbf16>, tensor<4xbf16>) -> tensor<2x5x11x4xbf16>
    kernel.yield %z : tensor<2x5x11x4xbf16>)");
  auto shape = FusionShape::get(parsed.get(), nullptr);
  ASSERT_TRUE(succeeded(shape));
  EXPECT_FALSE(shape->gemm);
  ASSERT_TRUE(shape->conv);
  EXPECT_EQ(shape->conv->geometry,
            (graph::Conv2dGeometry{.batch = 2,
                                   .inputChannels = 6,
                                   .inputHeight = 9,
                                   .inputWidth = 8,
                                   .outputChannels = 4,
                                   .outputHeight = 5,
                                   .outputWidth = 11,
                                   .filterHeight = 3,
                                   .filterWidth = 2,
                                   .strideHeight = 2,
                                   .strideWidth = 1,
                                   .padTop = 1,
                                   .padLeft = 2,
                                   .padBottom = 3,
                                   .padRight = 4,
                                   .dilationHeight = 2,
                                   .dilationWidth = 3,
                                   .groups = 2,
                                   .layout = graph::ImageLayout::NHWC}));
  EXPECT_EQ(shape->conv->geometry.reductionLength(), 18);
  EXPECT_EQ(shape->conv->bias, parsed.get().getBody().getArgument(2));
  EXPECT_THAT(shape->space, ElementsAre(2, 5, 11, 4));
  EXPECT_THAT(shape->epilogue, SizeIs(1));
}

TEST(FusionShapeTest, RefusesTwoAnchors) {
  ParsedFusion parsed({"tensor<4x4xf32>", "tensor<4x4xf32>"}, "tensor<4x4xf32>",
                      R"(
    %a = graph.matmul %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %b = graph.matmul %a, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    kernel.yield %b : tensor<4x4xf32>)");
  EXPECT_THAT(reasonFor(parsed), HasSubstr("more than one contraction"));
}

TEST(FusionShapeTest, RefusesDynamicShapes) {
  ParsedFusion parsed({"tensor<?x4xf32>"}, "tensor<?x4xf32>", R"(
    %a = graph.relu %0 : tensor<?x4xf32>
    kernel.yield %a : tensor<?x4xf32>)");
  EXPECT_THAT(reasonFor(parsed), HasSubstr("dynamic shapes"));
}

TEST(FusionShapeTest, RefusesASmallerResult) {
  ParsedFusion parsed({"tensor<3x1xf32>", "tensor<4xf32>"},
                      "(tensor<3x4xf32>, tensor<4xf32>)", R"(
    %r = graph.relu %1 : tensor<4xf32>
    %s = graph.add %0, %r : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    kernel.yield %s, %r : tensor<3x4xf32>, tensor<4xf32>)");
  EXPECT_EQ(reasonFor(parsed),
            "a result of shape [4] in an iteration space of shape [3, 4]");
}

TEST(FusionShapeTest, RefusesAnEpilogueThatGrowsTheResult) {
  ParsedFusion parsed({"tensor<1x5xf32>", "tensor<7x5xf32>", "tensor<3x7xf32>"},
                      "tensor<3x7xf32>", R"(
    %y = graph.linear %0, %1
      : (tensor<1x5xf32>, tensor<7x5xf32>) -> tensor<1x7xf32>
    %z = graph.add %y, %2 : (tensor<1x7xf32>, tensor<3x7xf32>) -> tensor<3x7xf32>
    kernel.yield %z : tensor<3x7xf32>)");
  EXPECT_EQ(reasonFor(parsed),
            "a result of shape [3, 7] in an iteration space of shape [1, 7]");
}

TEST(FusionShapeTest, RefusesResultsThatDoNotBroadcast) {
  ParsedFusion parsed({"tensor<3xf32>", "tensor<4xf32>"},
                      "(tensor<3xf32>, tensor<4xf32>)", R"(
    %a = graph.relu %0 : tensor<3xf32>
    %b = graph.relu %1 : tensor<4xf32>
    kernel.yield %a, %b : tensor<3xf32>, tensor<4xf32>)");
  EXPECT_THAT(reasonFor(parsed), HasSubstr("do not share an iteration space"));
}

TEST(FusionShapeTest, RefusesMovingElementsBesideAnAnchor) {
  ParsedFusion parsed({"tensor<3x5xf32>", "tensor<7x5xf32>"}, "tensor<7x3xf32>",
                      R"(
    %y = graph.linear %0, %1
      : (tensor<3x5xf32>, tensor<7x5xf32>) -> tensor<3x7xf32>
    %t = graph.transpose %y [1, 0] : tensor<3x7xf32> -> tensor<7x3xf32>
    kernel.yield %t : tensor<7x3xf32>)");
  EXPECT_THAT(reasonFor(parsed), HasSubstr("graph.transpose beside a"));
}

TEST(FusionShapeTest, RefusesAnOperandAsResult) {
  ParsedFusion parsed({"tensor<3xf32>"}, "tensor<3xf32>",
                      "kernel.yield %0 : tensor<3xf32>");
  EXPECT_THAT(reasonFor(parsed), HasSubstr("operand of the fusion"));
}

} // namespace
} // namespace minic
