// SPDX-License-Identifier: Apache-2.0
//
// Every op's maps and arithmetic, point by point, against the reference.

#include "test/unit/compiler/reference/MapInterpreter.h"
#include "test/unit/compiler/reference/ReferenceTest.h"

#include <gmock/gmock.h>

namespace minic::reference {
namespace {

using graph::IteratorKind;

struct Case {
  std::string op; // its text on %0, %1, ... without types
  std::vector<std::string> operands;
  std::string result;
  /// "(operands) -> result", "input to result", "input -> result" or one type.
  enum { Functional, To, Arrow, One } types = Functional;
};

std::ostream &operator<<(std::ostream &os, const Case &c) {
  return os << c.op << " -> " << c.result;
}

std::string functionOf(const Case &c) {
  std::string arguments, types;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    std::string comma = i ? ", " : "";
    arguments += comma + "%" + std::to_string(i) + ": " + c.operands[i];
    types += comma + c.operands[i];
  }
  types = c.types == Case::One     ? c.result
          : c.types == Case::Arrow ? types + " -> " + c.result
          : c.types == Case::To    ? types + " to " + c.result
                                   : "(" + types + ") -> " + c.result;
  return "func.func @f(" + arguments + ") -> " + c.result + " {\n%r = " + c.op +
         " : " + types + "\nreturn %r : " + c.result + "\n}";
}

class MapsTest : public ReferenceTest,
                 public testing::WithParamInterface<Case> {};

TEST_P(MapsTest, GiveWhatTheReferenceGives) {
  mlir::Block &block = parse(functionOf(GetParam()));
  std::vector<std::vector<float>> operands;
  for (mlir::Value argument : block.getArguments()) {
    auto type = llvm::cast<mlir::RankedTensorType>(argument.getType());
    operands.push_back(randomFloats(type.getNumElements(), operands.size()));
  }
  auto expected = evaluateText(functionOf(GetParam()), operands);
  ASSERT_EQ(expected.size(), 1u) << error;
  auto got = interpret(&parse(functionOf(GetParam())).front(), operands);
  ASSERT_EQ(got.size(), expected[0].values.size());
  EXPECT_EQ(countMismatches(expected[0], got), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Pointwise, MapsTest,
    testing::Values(
        Case{"graph.sub %0, %1",
             {"tensor<2x3xf32>", "tensor<3xf32>"},
             "tensor<2x3xf32>"},
        Case{"graph.sub %0, %1",
             {"tensor<2x1x3xf32>", "tensor<4x1xf32>"},
             "tensor<2x4x3xf32>"},
        Case{"graph.div %0, %1",
             {"tensor<f32>", "tensor<2x2xf32>"},
             "tensor<2x2xf32>"},
        Case{"graph.relu %0", {"tensor<5xf32>"}, "tensor<5xf32>", Case::One}));

INSTANTIATE_TEST_SUITE_P(
    Moves, MapsTest,
    testing::Values(
        Case{"graph.reshape %0",
             {"tensor<4x6xf32>"},
             "tensor<2x2x6xf32>",
             Case::To},
        Case{"graph.reshape %0",
             {"tensor<2x3x4xf32>"},
             "tensor<4x6xf32>",
             Case::To},
        Case{"graph.reshape %0",
             {"tensor<1x6x1xf32>"},
             "tensor<3x1x2x1x1xf32>",
             Case::To},
        Case{"graph.reshape %0", {"tensor<1x1xf32>"}, "tensor<f32>", Case::To},
        Case{"graph.reshape %0", {"tensor<f32>"}, "tensor<1x1xf32>", Case::To},
        Case{"graph.reshape %0",
             {"tensor<5x2x6xf32>"},
             "tensor<5x3x4xf32>",
             Case::To}));

INSTANTIATE_TEST_SUITE_P(Transposes, MapsTest,
                         testing::Values(Case{"graph.transpose %0 [2, 0, 1]",
                                              {"tensor<2x3x4xf32>"},
                                              "tensor<4x2x3xf32>",
                                              Case::Arrow}));

INSTANTIATE_TEST_SUITE_P(
    Reductions, MapsTest,
    testing::Values(Case{"graph.reduce sum, %0 [1]",
                         {"tensor<4x6xf32>"},
                         "tensor<4xf32>",
                         Case::Arrow},
                    Case{"graph.reduce mean, %0 [0, 2] {keep_dims}",
                         {"tensor<2x3x4xf32>"},
                         "tensor<1x3x1xf32>",
                         Case::Arrow},
                    Case{"graph.reduce max, %0 [0]",
                         {"tensor<4x6xf32>"},
                         "tensor<6xf32>",
                         Case::Arrow},
                    Case{"graph.reduce min, %0 [0, 1]",
                         {"tensor<4x6xf32>"},
                         "tensor<f32>",
                         Case::Arrow},
                    Case{"graph.reduce prod, %0 [2] {keep_dims}",
                         {"tensor<2x3x4xf32>"},
                         "tensor<2x3x1xf32>",
                         Case::Arrow}));

INSTANTIATE_TEST_SUITE_P(
    SumsOfProducts, MapsTest,
    testing::Values(
        Case{"graph.linear %0, %1, %2",
             {"tensor<2x3x5xf32>", "tensor<4x5xf32>", "tensor<4xf32>"},
             "tensor<2x3x4xf32>"},
        Case{"graph.linear %0, %1",
             {"tensor<5xf32>", "tensor<4x5xf32>"},
             "tensor<4xf32>"},
        Case{"graph.matmul %0, %1",
             {"tensor<2x1x3x5xf32>", "tensor<4x5x2xf32>"},
             "tensor<2x4x3x2xf32>"},
        Case{"graph.matmul %0, %1 {transpose_lhs, transpose_rhs}",
             {"tensor<5x3xf32>", "tensor<2x4x5xf32>"},
             "tensor<2x3x4xf32>"},
        Case{"graph.conv2d %0, %1, %2 {strides = array<i64: 2, 1>, "
             "pads = array<i64: 1, 0, 0, 2>, dilations = array<i64: 1, 2>}",
             {"tensor<2x3x5x4xf32>", "tensor<4x3x3x2xf32>", "tensor<4xf32>"},
             "tensor<2x4x2x4xf32>"},
        Case{"graph.conv2d %0, %1 {groups = 2 : i64, layout = \"nhwc\", "
             "pads = array<i64: 1, 1, 1, 1>}",
             {"tensor<1x4x3x4xf32>", "tensor<6x2x3x3xf32>"},
             "tensor<1x4x3x6xf32>"},
        Case{"graph.conv2d %0, %1 {groups = 3 : i64}",
             {"tensor<1x3x3x3xf32>", "tensor<3x1x2x2xf32>"},
             "tensor<1x3x2x2xf32>"}));

INSTANTIATE_TEST_SUITE_P(
    Indices, MapsTest,
    testing::Values(Case{"graph.broadcast %0",
                         {"tensor<3x1xf32>"},
                         "tensor<2x3x4xf32>",
                         Case::To},
                    Case{"graph.cumsum %0 axis = 0",
                         {"tensor<5x2xf32>"},
                         "tensor<5x2xf32>",
                         Case::One},
                    Case{"graph.cumsum %0 axis = 1 {exclusive, reverse}",
                         {"tensor<2x5xf32>"},
                         "tensor<2x5xf32>",
                         Case::One}));

/// slice and pad print their types with `->` and no parentheses.
TEST_F(MapsTest, SlicesAndPadsAreReadAtTheirMaps) {
  for (auto [op, result] :
       {std::pair("graph.slice %0 [0, 1, 0] to [2, 3, 4] by [1, 1, 3]",
                  "tensor<2x2x2xf32>"),
        std::pair("graph.pad %0 before [0, 1, 2] after [1, 0, 0] "
                  "{value = 3.0 : f64}",
                  "tensor<3x4x6xf32>")}) {
    std::string text = std::string("func.func @f(%0: tensor<2x3x4xf32>) -> ") +
                       result + " {\n%1 = " + op + " : tensor<2x3x4xf32> -> " +
                       result + "\nreturn %1 : " + result + "\n}";
    std::vector<std::vector<float>> operands{randomFloats(24, 1)};
    auto expected = evaluateText(text, operands);
    ASSERT_EQ(expected.size(), 1u) << error;
    auto got = interpret(&parse(text).front(), operands);
    ASSERT_EQ(got.size(), expected[0].values.size());
    EXPECT_EQ(countMismatches(expected[0], got), 0) << op;
  }
}

TEST_F(ReferenceTest, ConvolutionsHaveWindowsAndReadZerosOutside) {
  Case conv{"graph.conv2d %0, %1 {pads = array<i64: 1, 1, 1, 1>}",
            {"tensor<1x2x4x4xf32>", "tensor<3x2x3x3xf32>"},
            "tensor<1x3x4x4xf32>"};
  auto op =
      llvm::cast<graph::FusibleOpInterface>(&parse(functionOf(conv)).front());
  graph::IterationSpace space = op.getIterationSpace();
  EXPECT_THAT(llvm::ArrayRef(space.kinds).drop_front(4),
              testing::ElementsAre(IteratorKind::Reduction,
                                   IteratorKind::Window, IteratorKind::Window));
  EXPECT_EQ(space.pointCount(), 48 * 18);
  EXPECT_EQ(space.parallelPointCount(), 48);
  EXPECT_TRUE(op.getPaddingValue(0));
  EXPECT_FALSE(op.getPaddingValue(1));
  EXPECT_TRUE(graph::isConvolution(op));
  EXPECT_FALSE(graph::isContraction(op));
}

TEST_F(ReferenceTest, DimensionsThatAReshapeKeepsStayIterators) {
  auto map = graph::getReshapeMap({8, 12, 5}, {8, 3, 4, 5}, &context);
  EXPECT_EQ(map.getResult(0), mlir::getAffineDimExpr(0, &context));
  EXPECT_EQ(map.getResult(1), mlir::getAffineDimExpr(1, &context) * 4 +
                                  mlir::getAffineDimExpr(2, &context));
  EXPECT_EQ(map.getResult(2), mlir::getAffineDimExpr(3, &context));
  EXPECT_FALSE(
      graph::getReshapeMap({mlir::ShapedType::kDynamic}, {4}, &context));
}

} // namespace
} // namespace minic::reference
