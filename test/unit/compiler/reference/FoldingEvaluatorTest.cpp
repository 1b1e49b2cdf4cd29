// SPDX-License-Identifier: Apache-2.0
//
// The evaluator that folds constants: what it computes, and what it leaves.

#include "compiler/reference/FoldingEvaluator.h"

#include "test/unit/compiler/reference/ReferenceTest.h"

#include "dialects/graph/Graph.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <gmock/gmock.h>

namespace minic::reference {
namespace {

using testing::ElementsAre;

class FoldingEvaluatorTest : public ReferenceTest {
protected:
  /// Folds the last op of `text`, whose operands are constants with values.
  mlir::ElementsAttr fold(const std::string &text) {
    mlir::Operation *op = parse(text).getTerminator()->getPrevNode();
    std::vector<mlir::ElementsAttr> operands;
    for (mlir::Value operand : op->getOperands()) {
      operands.push_back(
          operand.getDefiningOp<graph::ConstantOp>().getValueAttr());
    }
    return createFoldingEvaluator()->evaluate(op, operands);
  }

  std::vector<double> foldFloats(const std::string &text) {
    std::vector<double> values;
    for (llvm::APFloat value : fold(text).getValues<llvm::APFloat>()) {
      bool isInexact;
      value.convert(llvm::APFloat::IEEEdouble(),
                    llvm::APFloat::rmNearestTiesToEven, &isInexact);
      values.push_back(value.convertToDouble());
    }
    return values;
  }
};

/// As a filter by a number for each of its channels, and a bias.
TEST_F(FoldingEvaluatorTest, SumsAndProductsOfFloatsBroadcast) {
  EXPECT_THAT(foldFloats(R"(func.func @main() -> tensor<2x2x1xf32> {
    %a = graph.constant dense<[[[0.1], [2.0]], [[3.0], [-0.7]]]>
      : tensor<2x2x1xf32>
    %b = graph.constant dense<[[[0.3]], [[10.0]]]> : tensor<2x1x1xf32>
    %0 = graph.mul %b, %a
      : (tensor<2x1x1xf32>, tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
    return %0 : tensor<2x2x1xf32> })"),
              ElementsAre(0.1f * 0.3f, 2 * 0.3f, 30, -0.7f * 10));
  EXPECT_THAT(foldFloats(R"(func.func @main() -> tensor<2x3xf32> {
    %a = graph.constant dense<[0.1, 0.2, 1.0e30]> : tensor<3xf32>
    %b = graph.constant dense<[[0.7], [1.0]]> : tensor<2x1xf32>
    %0 = graph.sub %a, %b
      : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32> })"),
              ElementsAre(0.1f - 0.7f, 0.2f - 0.7f, 1e30f, 0.1f - 1.0f,
                          0.2f - 1.0f, 1e30f));
}

TEST_F(FoldingEvaluatorTest, RoundsOnce) {
  EXPECT_THAT(foldFloats(R"(func.func @main() -> tensor<3xf32> {
    %a = graph.constant dense<[1.0, 2.0, 0.1]> : tensor<3xf32>
    %b = graph.constant dense<3.0> : tensor<f32>
    %0 = graph.div %a, %b : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32> })"),
              ElementsAre(1.0f / 3, 2.0f / 3, 0.1f / 3));
  EXPECT_THAT(foldFloats(R"(func.func @main() -> tensor<4xf16> {
    %a = graph.constant dense<[1.0, -2.5, 6.1e-5, 300.0]> : tensor<4xf16>
    %0 = graph.mul %a, %a : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    return %0 : tensor<4xf16> })"),
              ElementsAre(1, 6.25, 0, HUGE_VAL));
  EXPECT_THAT(foldFloats(R"(func.func @main() -> tensor<2xbf16> {
    %a = graph.constant dense<[1.00390625, -3.0]> : tensor<2xf32>
    %0 = graph.cast %a : tensor<2xf32> to tensor<2xbf16>
    return %0 : tensor<2xbf16> })"),
              ElementsAre(1, -3));
}

// Masks at the end of the range.
TEST_F(FoldingEvaluatorTest, LowestNumbers) {
  EXPECT_THAT(foldFloats(R"(func.func @main() -> tensor<3xf32> {
    %a = graph.constant dense<[-0.0, 1.0, 0.75]> : tensor<3xf32>
    %b = graph.constant dense<0xFF7FFFFF> : tensor<f32>
    %0 = graph.mul %a, %b : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32> })"),
              ElementsAre(0, -0x1.fffffep127, -0x1.7ffffep127));
  EXPECT_THAT(foldFloats(R"(func.func @main() -> tensor<4xf16> {
    %a = graph.constant dense<[0.0, -15.0, -16.0, 17.0]> : tensor<4xf16>
    %b = graph.constant dense<-65504.0> : tensor<f16>
    %0 = graph.add %a, %b : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
    return %0 : tensor<4xf16> })"),
              ElementsAre(-65504, -65504, -HUGE_VAL, -65472));
  EXPECT_THAT(foldFloats(R"(func.func @main() -> tensor<2xbf16> {
    %a = graph.constant dense<[0.0, -50.0]> : tensor<2xbf16>
    %b = graph.constant dense<0xFF7F> : tensor<bf16>
    %0 = graph.add %a, %b : (tensor<2xbf16>, tensor<bf16>) -> tensor<2xbf16>
    return %0 : tensor<2xbf16> })"),
              ElementsAre(-0x1.fep127, -0x1.fep127));
}

TEST_F(FoldingEvaluatorTest, TransposesSplatsAndLargeTensors) {
  mlir::ElementsAttr small = fold(R"(func.func @main() -> tensor<2x3xi32> {
    %a = graph.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
    %0 = graph.transpose %a [1, 0] : tensor<3x2xi32> -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32> })");
  EXPECT_THAT(llvm::to_vector(small.getValues<int32_t>()),
              ElementsAre(1, 3, 5, 2, 4, 6));
  mlir::ElementsAttr large = fold(R"(func.func @main() -> tensor<200x300xf32> {
    %a = graph.constant dense<1.5> : tensor<300x200xf32>
    %0 = graph.transpose %a [1, 0]
      : tensor<300x200xf32> -> tensor<200x300xf32>
    return %0 : tensor<200x300xf32> })");
  auto resource = mlir::dyn_cast<mlir::DenseF32ResourceElementsAttr>(large);
  ASSERT_TRUE(resource);
  EXPECT_THAT(*resource.tryGetAsArrayRef(), testing::Each(1.5f));
  EXPECT_EQ(resource.tryGetAsArrayRef()->size(), 60000u);
}

TEST_F(FoldingEvaluatorTest, Predicates) {
  mlir::ElementsAttr bits = fold(R"(func.func @main() -> tensor<3xi1> {
    %a = graph.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %b = graph.constant dense<2.0> : tensor<3xf32>
    %0 = graph.compare ge, %a, %b
      : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    return %0 : tensor<3xi1> })");
  EXPECT_THAT(llvm::to_vector(bits.getValues<bool>()),
              ElementsAre(false, true, true));
}

TEST_F(FoldingEvaluatorTest, LeavesTheUndefinedAlone) {
  EXPECT_FALSE(fold(R"(func.func @main() -> tensor<1xi8> {
    %a = graph.constant dense<300.0> : tensor<1xf32>
    %0 = graph.cast %a : tensor<1xf32> to tensor<1xi8>
    return %0 : tensor<1xi8> })"));
}

} // namespace
} // namespace minic::reference
