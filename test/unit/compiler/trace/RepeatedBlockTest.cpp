// SPDX-License-Identifier: Apache-2.0
//
// Layers found in lists of ops.

#include "compiler/trace/RepeatedBlock.h"

#include <gtest/gtest.h>

namespace minic::trace {
namespace {

std::vector<std::string> opsOf(const std::string &text) {
  std::vector<std::string> ops;
  for (char c : text) {
    ops.emplace_back(1, c);
  }
  return ops;
}

TEST(RepeatedBlockTest, findsLayersBetweenOtherOps) {
  auto blocks = findRepeatedBlocks(opsOf("xyabcdabcdabcdz"));
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].begin, 2u);
  EXPECT_EQ(blocks[0].period, 4u);
  EXPECT_EQ(blocks[0].count, 3u);
  EXPECT_EQ(blocks[0].end(), 14u);
}

TEST(RepeatedBlockTest, takesTheShortestPeriod) {
  auto blocks = findRepeatedBlocks(opsOf("abcdabcdabcdabcd"));
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].period, 4u);
  EXPECT_EQ(blocks[0].count, 4u);
}

TEST(RepeatedBlockTest, findsNoneWhereNothingRepeats) {
  EXPECT_TRUE(findRepeatedBlocks({}).empty());
  EXPECT_TRUE(findRepeatedBlocks(opsOf("abcdefgh")).empty());
  // Too short to be a layer, and not whole.
  EXPECT_TRUE(findRepeatedBlocks(opsOf("abcabc")).empty());
  EXPECT_TRUE(findRepeatedBlocks(opsOf("abcdeabcd")).empty());
}

// An encoder and a decoder; the larger stretch is not the first one.
TEST(RepeatedBlockTest, findsSeveralStretches) {
  auto blocks =
      findRepeatedBlocks(opsOf("xabcdabcdabcdyghijklghijklghijklzmnopmnop"));
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].begin, 1u);
  EXPECT_EQ(blocks[0].period, 4u);
  EXPECT_EQ(blocks[0].count, 3u);
  EXPECT_EQ(blocks[1].begin, 14u);
  EXPECT_EQ(blocks[1].period, 6u);
  EXPECT_EQ(blocks[1].count, 3u);
  EXPECT_EQ(blocks[2].begin, 33u);
  EXPECT_EQ(blocks[2].count, 2u);
}

TEST(RepeatedBlockTest, mapsEachRepetitionToTheFirst) {
  std::vector<RepeatedBlock> blocks = {{2, 4, 3}, {15, 5, 2}};
  EXPECT_EQ(representative(blocks, 1), 1u);
  EXPECT_EQ(representative(blocks, 2), 2u);
  EXPECT_EQ(representative(blocks, 7), 3u);
  EXPECT_EQ(representative(blocks, 13), 5u);
  EXPECT_EQ(representative(blocks, 14), 14u);
  EXPECT_EQ(representative(blocks, 24), 19u);
  EXPECT_EQ(representative(blocks, 25), 25u);
}

} // namespace
} // namespace minic::trace
