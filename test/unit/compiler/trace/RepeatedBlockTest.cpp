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
  auto block = findRepeatedBlock(opsOf("xyabcdabcdabcdz"));
  ASSERT_TRUE(block);
  EXPECT_EQ(block->begin, 2u);
  EXPECT_EQ(block->period, 4u);
  EXPECT_EQ(block->count, 3u);
  EXPECT_EQ(block->end(), 14u);
}

TEST(RepeatedBlockTest, takesTheShortestPeriod) {
  auto block = findRepeatedBlock(opsOf("abcdabcdabcdabcd"));
  ASSERT_TRUE(block);
  EXPECT_EQ(block->period, 4u);
  EXPECT_EQ(block->count, 4u);
}

TEST(RepeatedBlockTest, findsNoneWhereNothingRepeats) {
  EXPECT_FALSE(findRepeatedBlock({}));
  EXPECT_FALSE(findRepeatedBlock(opsOf("abcdefgh")));
  // Too short to be a layer, and not whole.
  EXPECT_FALSE(findRepeatedBlock(opsOf("abcabc")));
  EXPECT_FALSE(findRepeatedBlock(opsOf("abcdeabcd")));
}

TEST(RepeatedBlockTest, mapsEachRepetitionToTheFirst) {
  RepeatedBlock block{2, 4, 3};
  EXPECT_EQ(block.representative(1), 1u);
  EXPECT_EQ(block.representative(2), 2u);
  EXPECT_EQ(block.representative(7), 3u);
  EXPECT_EQ(block.representative(13), 5u);
  EXPECT_EQ(block.representative(14), 14u);
}

} // namespace
} // namespace minic::trace
