// SPDX-License-Identifier: Apache-2.0
//
// Rates for people.

#include "runtime/base/RateText.h"

#include <gtest/gtest.h>

namespace minic::runtime {
namespace {

TEST(RateText, TeraFromAThousandOn) {
  EXPECT_EQ(rateText(0.01317), "0.01317 GFLOP/s");
  EXPECT_EQ(rateText(58.512), "58.51 GFLOP/s");
  EXPECT_EQ(rateText(999.9), "999.9 GFLOP/s");
  EXPECT_EQ(rateText(1000), "1 TFLOP/s");
  EXPECT_EQ(rateText(1804.6), "1.805 TFLOP/s");
}

} // namespace
} // namespace minic::runtime
