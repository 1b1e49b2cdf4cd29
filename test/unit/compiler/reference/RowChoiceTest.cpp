// SPDX-License-Identifier: Apache-2.0
//
// Demanded rows agree with the whole evaluation, and chosen rows fit a budget.

#include "test/unit/compiler/reference/ReferenceTest.h"

#include <gmock/gmock.h>

namespace minic::reference {
namespace {

using testing::ElementsAre;

class RowChoiceTest : public ReferenceTest {};

/// Every kind of op between arguments and results.
const char *const kMixed = R"(
  func.func @main(%x: tensor<2x5x8xf32>, %w: tensor<6x8xf32>,
                  %k: tensor<2x6x5xf32>)
      -> (tensor<2x5x5xf32>, tensor<5x2x6xf32>, tensor<12x5xf32>) {
    %0 = graph.linear %x, %w
      : (tensor<2x5x8xf32>, tensor<6x8xf32>) -> tensor<2x5x6xf32>
    %1 = graph.matmul %0, %k
      : (tensor<2x5x6xf32>, tensor<2x6x5xf32>) -> tensor<2x5x5xf32>
    %2 = graph.tanh %0 : tensor<2x5x6xf32>
    %3 = graph.transpose %2 [1, 0, 2] : tensor<2x5x6xf32> -> tensor<5x2x6xf32>
    %4 = graph.matmul %2, %1 {transpose_lhs}
      : (tensor<2x5x6xf32>, tensor<2x5x5xf32>) -> tensor<2x6x5xf32>
    %5 = graph.reshape %4 : tensor<2x6x5xf32> to tensor<12x5xf32>
    return %1, %3, %5 : tensor<2x5x5xf32>, tensor<5x2x6xf32>, tensor<12x5xf32>
  })";

TEST_F(RowChoiceTest, DemandedRowsAgreeWithAll) {
  std::vector<std::vector<float>> arguments = {
      randomFloats(80, 1), randomFloats(48, 2), randomFloats(60, 3)};
  auto all = evaluateText(kMixed, arguments);
  EvaluationOptions options;
  options.outputNames = {"a", "b", "c"};
  options.rows = {{false, {0, 7}}, {false, {3}}, {false, {1, 5, 11}}};
  auto some = evaluateText(kMixed, arguments, options);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(some[i].name, options.outputNames[i]);
    EXPECT_EQ(some[i].rows, options.rows[i].rows);
    size_t length = all[i].dims.back();
    ASSERT_EQ(some[i].values.size(), some[i].rows.size() * length);
    for (size_t r = 0; r < some[i].rows.size(); ++r) {
      for (size_t j = 0; j < length; ++j) {
        size_t from = some[i].rows[r] * length + j;
        EXPECT_DOUBLE_EQ(some[i].values[r * length + j], all[i].values[from]);
        EXPECT_DOUBLE_EQ(some[i].tolerances[r * length + j],
                         all[i].tolerances[from]);
      }
    }
  }
}

const char *const kLarge = R"(
  func.func @main(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>)
      -> tensor<4096x4096xf32> {
    %0 = graph.linear %x, %w : (tensor<4096x4096xf32>, tensor<4096x4096xf32>)
      -> tensor<4096x4096xf32>
    %1 = graph.relu %0 : tensor<4096x4096xf32>
    return %1 : tensor<4096x4096xf32>
  })";

TEST_F(RowChoiceTest, FitsTheBudgetWithTheTellingRows) {
  mlir::Block &body = parse(kLarge);
  RowBudget budget;
  budget.seconds = 0.5;
  budget.tileRows = {64};
  std::vector<RowDemand> rows = chooseRows(body, budget);
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_FALSE(rows[0].all);
  EXPECT_THAT(rows[0].rows,
              testing::IsSupersetOf({0, 63, 64, 4031, 4032, 4095}));
  EXPECT_TRUE(std::is_sorted(rows[0].rows.begin(), rows[0].rows.end()));
  EXPECT_LE(estimateSeconds(body, rows), 0.5);
  EXPECT_GT(estimateSeconds(body, rows), 0.4);

  budget.seed = 1;
  EXPECT_NE(chooseRows(body, budget)[0].rows, rows[0].rows);
  budget.seconds = 0;
  EXPECT_THAT(chooseRows(body, budget)[0].rows, ElementsAre(0, 4095));
  budget.seconds = 1e9;
  EXPECT_TRUE(chooseRows(body, budget)[0].all);
}

} // namespace
} // namespace minic::reference
