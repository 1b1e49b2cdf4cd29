// SPDX-License-Identifier: Apache-2.0
//
// Who is asked before a large search, and what an answer means.

#include "compiler/tune/search/ConfirmSearch.h"

#include <gtest/gtest.h>

#include <sstream>

namespace minic::tune {
namespace {

/// What is written on stderr.
std::string said(const SearchSize &size, std::istream *terminal,
                 absl::Status &status) {
  testing::internal::CaptureStderr();
  status = confirmSearch(size, terminal);
  return testing::internal::GetCapturedStderr();
}

TEST(ConfirmSearch, ASmallOneIsNotMentioned) {
  absl::Status status;
  std::istringstream no("n\n");
  EXPECT_EQ(said({1000, 2, 2, false}, &no, status), "");
  EXPECT_TRUE(status.ok());
}

TEST(ConfirmSearch, WithoutATerminalItSaysHowLargeItIsAndGoesOn) {
  absl::Status status;
  EXPECT_EQ(said({2000, 1, 2, false}, nullptr, status),
            "minic: --search=exhaustive: 2000 schedules of 1 problem to build "
            "and measure, about 4 minutes\n");
  EXPECT_TRUE(status.ok());
}

TEST(ConfirmSearch, OnATerminalItAsks) {
  absl::Status status;
  for (const char *yes : {"y\n", "yes\n"}) {
    std::istringstream answer(yes);
    EXPECT_NE(said({2000, 3, 16, true}, &answer, status)
                  .find("2000 schedules of 3 problems"),
              std::string::npos);
    EXPECT_TRUE(status.ok()) << yes;
  }
  for (const char *no : {"n\n", "\n", "", "yesterday\n"}) {
    std::istringstream answer(no);
    EXPECT_NE(said({2000, 3, 16, true}, &answer, status).find("[y/N]"),
              std::string::npos);
    EXPECT_TRUE(absl::IsCancelled(status)) << no;
  }
}

TEST(ConfirmSearch, BuildersShareTheWorkAndOverlapOnAGpu) {
  SearchSize size = {4000, 1, 1, true};
  double one = size.seconds();
  size.builders = 2;
  EXPECT_EQ(size.seconds(), one / 2);
  size.builders = 1000; // measuring takes as long as it takes
  EXPECT_GT(size.seconds(), one / 50);
  SearchSize onCpu = {4000, 1, 4, false};
  size.builders = 4;
  EXPECT_GT(onCpu.seconds(), size.seconds());
}

} // namespace
} // namespace minic::tune
