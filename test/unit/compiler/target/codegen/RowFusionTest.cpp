// SPDX-License-Identifier: Apache-2.0
//
// Which bodies are passes over rows, and what is read and written where.

#include "compiler/target/codegen/RowFusion.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace minic {
namespace {

/// `parsed` outlives it.
RowFusion match(ParsedFusion &parsed) {
  std::string reason;
  auto rows = RowFusion::get(parsed.get(), reason);
  EXPECT_TRUE(succeeded(rows)) << reason;
  return succeeded(rows) ? std::move(*rows) : RowFusion();
}

std::string refusal(const std::vector<std::string> &arguments,
                    const std::string &results, const std::string &body) {
  ParsedFusion parsed(arguments, results, body);
  std::string reason;
  auto rows = RowFusion::get(parsed.get(), reason);
  EXPECT_TRUE(failed(rows));
  return reason;
}

/// The passes after which reductions are known, in order.
std::vector<int64_t> reductionPasses(const RowFusion &rows) {
  std::vector<int64_t> passes;
  for (const RowFusion::Node &node : rows.nodes) {
    if (rows.isReduction(node)) {
      passes.push_back(node.pass);
    }
  }
  return passes;
}

TEST(RowFusion, SeesSoftmaxAsThreePasses) {
  ParsedFusion parsed({"tensor<2x3x8xbf16>"}, "tensor<2x3x8xbf16>",
                      "%y = graph.softmax %0 axis = 2 : tensor<2x3x8xbf16>\n"
                      "kernel.yield %y : tensor<2x3x8xbf16>");
  RowFusion rows = match(parsed);
  EXPECT_EQ(rows.rows(), 6);
  EXPECT_EQ(rows.columns(), 8);
  EXPECT_EQ(rows.passes(), 3);
  EXPECT_THAT(rows.extents, ElementsAre(6, 8));
  EXPECT_THAT(reductionPasses(rows), ElementsAre(1, 2));
  ASSERT_EQ(rows.reads.size(), 1u);
  EXPECT_THAT(rows.reads[0].strides, ElementsAre(8, 1));
  EXPECT_THAT(rows.results[0].strides, ElementsAre(8, 1));
}

TEST(RowFusion, KeepsTheSumBesideItsNorm) {
  ParsedFusion parsed(
      {"tensor<4x8xbf16>", "tensor<4x8xbf16>", "tensor<8xbf16>"},
      "(tensor<4x8xbf16>, tensor<4x8xf16>)",
      "%s = graph.add %0, %1 : tensor<4x8xbf16>\n"
      "%y = graph.layer_norm %s scale %2 axis = 1 : (tensor<4x8xbf16>, "
      "tensor<8xbf16>) -> tensor<4x8xbf16>\n"
      "%z = graph.cast %y : tensor<4x8xbf16> to tensor<4x8xf16>\n"
      "kernel.yield %s, %z : tensor<4x8xbf16>, tensor<4x8xf16>");
  RowFusion rows = match(parsed);
  EXPECT_EQ(rows.passes(), 3);
  ASSERT_EQ(rows.reads.size(), 3u);
  EXPECT_TRUE(rows.isPerColumn(rows.reads[2]));
  EXPECT_FALSE(rows.isPerColumn(rows.reads[0]));
  EXPECT_EQ(rows.nodes[rows.results[0].node].pass, 0);
  EXPECT_EQ(rows.nodes[rows.results[1].node].pass, 2);
  EXPECT_TRUE(rows.results[1].storage.isF16());
}

TEST(RowFusion, TakesReductionsOfARowIntoOneResultEach) {
  ParsedFusion parsed(
      {"tensor<4x8xf32>", "tensor<4x1xf32>"},
      "(tensor<4xf32>, tensor<4x1xi64>, tensor<4x1xf32>)",
      "%p = graph.exp %0 : tensor<4x8xf32>\n"
      "%s = graph.reduce sum, %p [1] : tensor<4x8xf32> -> tensor<4xf32>\n"
      "%i = graph.arg_reduce max, %0 axis = 1 {keep_dims} : tensor<4x8xf32> "
      "-> tensor<4x1xi64>\n"
      "%m = graph.reduce max, %0 [1] {keep_dims} : tensor<4x8xf32> -> "
      "tensor<4x1xf32>\n"
      "%d = graph.sub %m, %1 : tensor<4x1xf32>\n"
      "kernel.yield %s, %i, %d : tensor<4xf32>, tensor<4x1xi64>, "
      "tensor<4x1xf32>");
  RowFusion rows = match(parsed);
  EXPECT_EQ(rows.passes(), 1);
  EXPECT_EQ(rows.columns(), 8);
  EXPECT_THAT(reductionPasses(rows), ElementsAre(1, 1, 1));
  for (const RowFusion::Result &result : rows.results) {
    EXPECT_TRUE(rows.nodes[result.node].isPerRow);
    EXPECT_THAT(result.strides, ElementsAre(1, 0));
  }
  EXPECT_TRUE(rows.isPerRow(rows.reads[1]));
}

TEST(RowFusion, ReadsEachChannelsScaleOnce) {
  ParsedFusion parsed(
      {"tensor<2x6x5xf32>", "tensor<6xf32>"}, "tensor<2x6x5xf32>",
      "%y = graph.group_norm %0 scale %1 groups = 2 : (tensor<2x6x5xf32>, "
      "tensor<6xf32>) -> tensor<2x6x5xf32>\n"
      "kernel.yield %y : tensor<2x6x5xf32>");
  RowFusion rows = match(parsed);
  EXPECT_EQ(rows.columns(), 15);
  EXPECT_THAT(rows.rowExtents(), ElementsAre(2, 2));
  EXPECT_THAT(rows.columnExtents(), ElementsAre(3, 5));
  ASSERT_EQ(rows.reads.size(), 2u) << "the input is read under one map";
  EXPECT_THAT(rows.reads[0].strides, ElementsAre(30, 15, 5, 1));
  EXPECT_THAT(rows.reads[1].strides, ElementsAre(0, 3, 1, 0));
  EXPECT_THAT(rows.results[0].strides, ElementsAre(30, 15, 5, 1));
}

TEST(RowFusion, WalksGroupsOfChannelsThatAreLastPixelByPixel) {
  ParsedFusion parsed(
      {"tensor<2x4x5x6xf32>", "tensor<6xf32>"}, "tensor<2x4x5x6xf32>",
      "%t = graph.transpose %0 [0, 3, 1, 2] : tensor<2x4x5x6xf32> -> "
      "tensor<2x6x4x5xf32>\n"
      "%y = graph.group_norm %t scale %1 groups = 2 : (tensor<2x6x4x5xf32>, "
      "tensor<6xf32>) -> tensor<2x6x4x5xf32>\n"
      "%z = graph.transpose %y [0, 2, 3, 1] : tensor<2x6x4x5xf32> -> "
      "tensor<2x4x5x6xf32>\n"
      "%s = graph.silu %z : tensor<2x4x5x6xf32>\n"
      "kernel.yield %s : tensor<2x4x5x6xf32>");
  RowFusion rows = match(parsed);
  EXPECT_THAT(rows.rowExtents(), ElementsAre(2, 2));
  EXPECT_THAT(rows.columnExtents(), ElementsAre(20, 3));
  EXPECT_THAT(rows.reads[0].strides, ElementsAre(120, 3, 6, 1));
  EXPECT_THAT(rows.reads[1].strides, ElementsAre(0, 3, 0, 1));
  EXPECT_THAT(rows.results[0].strides, ElementsAre(120, 3, 6, 1));
}

TEST(RowFusion, TakesRowsThatAreNotTheLastDimensions) {
  ParsedFusion parsed({"tensor<2x3x4xf32>"}, "tensor<2x3x4xf32>",
                      "%y = graph.softmax %0 axis = 1 : tensor<2x3x4xf32>\n"
                      "kernel.yield %y : tensor<2x3x4xf32>");
  RowFusion rows = match(parsed);
  EXPECT_THAT(rows.extents, ElementsAre(2, 4, 3));
  EXPECT_THAT(rows.reads[0].strides, ElementsAre(12, 1, 4));
  EXPECT_THAT(rows.results[0].strides, ElementsAre(12, 1, 4));
}

TEST(RowFusion, TakesAllElementsAsOneRow) {
  ParsedFusion parsed(
      {"tensor<3x4xf32>"}, "tensor<f32>",
      "%y = graph.reduce mean, %0 [0, 1] : tensor<3x4xf32> -> tensor<f32>\n"
      "kernel.yield %y : tensor<f32>");
  RowFusion rows = match(parsed);
  EXPECT_EQ(rows.rowLoops, 0u);
  EXPECT_THAT(rows.extents, ElementsAre(12));
  EXPECT_THAT(rows.results[0].strides, ElementsAre(0));
}

TEST(RowFusion, TakesRowsOfOneColumn) {
  ParsedFusion parsed({"tensor<7x1xf32>"}, "tensor<7x1xf32>",
                      "%y = graph.softmax %0 axis = 1 : tensor<7x1xf32>\n"
                      "kernel.yield %y : tensor<7x1xf32>");
  RowFusion rows = match(parsed);
  EXPECT_THAT(rows.extents, ElementsAre(7, 1));
}

TEST(RowFusion, SaysWhyItRefuses) {
  EXPECT_EQ(refusal({"tensor<4x8xf32>"}, "tensor<4x8xf32>",
                    "%y = graph.relu %0 : tensor<4x8xf32>\n"
                    "kernel.yield %y : tensor<4x8xf32>"),
            "no reduction in the body");
  EXPECT_EQ(refusal({"tensor<4x8xf32>", "tensor<8x8xf32>"}, "tensor<4x8xf32>",
                    "%y = graph.linear %0, %1 : (tensor<4x8xf32>, "
                    "tensor<8x8xf32>) -> tensor<4x8xf32>\n"
                    "kernel.yield %y : tensor<4x8xf32>"),
            "graph.linear is no reduction of a row");
  EXPECT_EQ(refusal({"tensor<4x8xf32>"}, "(tensor<4xf32>, tensor<8xf32>)",
                    "%a = graph.reduce sum, %0 [1] : tensor<4x8xf32> -> "
                    "tensor<4xf32>\n"
                    "%b = graph.reduce sum, %0 [0] : tensor<4x8xf32> -> "
                    "tensor<8xf32>\n"
                    "kernel.yield %a, %b : tensor<4xf32>, tensor<8xf32>"),
            "a result that has no element per row or column");
  EXPECT_EQ(
      refusal({"tensor<4x4xf32>"}, "tensor<4x4xf32>",
              "%a = graph.reduce sum, %0 [1] : tensor<4x4xf32> -> "
              "tensor<4xf32>\n"
              "%y = graph.mul %0, %a : (tensor<4x4xf32>, tensor<4xf32>) -> "
              "tensor<4x4xf32>\n"
              "kernel.yield %y : tensor<4x4xf32>"),
      "the result of graph.reduce is read at another row");
  EXPECT_EQ(refusal({"tensor<0x4xf32>"}, "tensor<0x4xf32>",
                    "%y = graph.softmax %0 axis = 1 : tensor<0x4xf32>\n"
                    "kernel.yield %y : tensor<0x4xf32>"),
            "no elements");
}

} // namespace
} // namespace minic
