// SPDX-License-Identifier: Apache-2.0
//
// Shares of sizes, and files of them.

#include "compiler/sizes/SizeDistribution.h"

#include <gmock/gmock.h>

namespace minic::sizes {
namespace {

using ::testing::ElementsAre;

TEST(SizeDistributionTest, uniform) {
  SizeDistribution sizes = SizeDistribution::uniform(3, 6);
  EXPECT_THAT(sizes.sizes(), ElementsAre(3, 4, 5, 6));
  EXPECT_DOUBLE_EQ(sizes.share(0), 0.25);
  EXPECT_DOUBLE_EQ(sizes.shareUpTo(2), 0.75);
  EXPECT_DOUBLE_EQ(sizes.shareBetween(0, 3), 0.75);
  EXPECT_DOUBLE_EQ(sizes.meanSize(), 4.5);
  EXPECT_EQ(sizes.indexAtMost(5), 2u);
  EXPECT_EQ(sizes.indexAtMost(100), 3u);
  EXPECT_EQ(sizes.indexAtMost(1), 0u);
}

TEST(SizeDistributionTest, countsOfAFile) {
  auto sizes = SizeDistribution::parse("# tokens\n7 3\n\n2\n 7\n5, 0 # none\n",
                                       "f", 1, 9);
  ASSERT_TRUE(sizes.ok()) << sizes.status();
  // The largest size is one although no run has it.
  EXPECT_THAT(sizes->sizes(), ElementsAre(2, 7, 9));
  EXPECT_DOUBLE_EQ(sizes->share(0), 0.2);
  EXPECT_DOUBLE_EQ(sizes->share(1), 0.8);
  EXPECT_DOUBLE_EQ(sizes->share(2), 0);
  EXPECT_DOUBLE_EQ(sizes->meanSize(), 6);
}

TEST(SizeDistributionTest, badFiles) {
  auto error = [](const std::string &text) {
    auto sizes = SizeDistribution::parse(text, "f", 2, 9);
    EXPECT_EQ(sizes.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(sizes.status().message());
  };
  EXPECT_EQ(error("3\nx\n"), "f:2: expected SIZE or SIZE COUNT, got 'x'");
  EXPECT_EQ(error("3 1 2"), "f:1: expected SIZE or SIZE COUNT, got '3 1 2'");
  EXPECT_EQ(error("3 -1"), "f:1: expected SIZE or SIZE COUNT, got '3 -1'");
  EXPECT_EQ(error("10"), "f:1: expected a size from 2 to 9, got 10");
  EXPECT_EQ(error("1"), "f:1: expected a size from 2 to 9, got 1");
  EXPECT_EQ(error("# none\n4 0\n"),
            "f: expected sizes, a line for each, got none");
}

} // namespace
} // namespace minic::sizes
