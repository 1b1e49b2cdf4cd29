// SPDX-License-Identifier: Apache-2.0
//
// Callers of several habits, at times that the test makes up.

#include "runtime/device/cuda/BusyEstimate.h"

#include <gtest/gtest.h>

namespace minic::runtime {
namespace {

// A bf16 MLP on an H200: 8.1 us back to back by stream, 9.3 by graph, 14.0 of
// one call that is waited for.
constexpr double runUs = 11.6;

TEST(BusyEstimateTest, theFirstRunFindsAnIdleStream) {
  BusyEstimate estimate(runUs);
  EXPECT_TRUE(estimate.enqueue(1e12));
  EXPECT_FALSE(estimate.enqueue(1e12));
}

TEST(BusyEstimateTest, runsOccupyTheStreamOneAfterTheOther) {
  BusyEstimate estimate(10);
  EXPECT_TRUE(estimate.enqueue(100));  // until 110
  EXPECT_FALSE(estimate.enqueue(102)); // until 120
  EXPECT_FALSE(estimate.enqueue(119)); // until 130
  EXPECT_TRUE(estimate.enqueue(130));  // until 140
  EXPECT_FALSE(estimate.enqueue(139.9));
}

TEST(BusyEstimateTest, whoWaitsForEachCallFindsItIdle) {
  BusyEstimate estimate(runUs);
  for (double now = 0; now < 1e4; now += 14) {
    EXPECT_TRUE(estimate.enqueue(now)) << now;
  }
}

TEST(BusyEstimateTest, whoKeepsRunsInFlightFindsItBusy) {
  // A full queue lets the host go on as fast as the device does, for as long
  // as it likes.
  BusyEstimate estimate(runUs);
  int idle = 0;
  for (double now = 0; now < 1e6; now += 8.1) {
    idle += estimate.enqueue(now);
  }
  EXPECT_EQ(idle, 1);
}

TEST(BusyEstimateTest, waitingMakesItIdle) {
  BusyEstimate estimate(1000);
  EXPECT_TRUE(estimate.enqueue(5));
  EXPECT_FALSE(estimate.enqueue(6));
  estimate.clear();
  EXPECT_TRUE(estimate.enqueue(7));
  EXPECT_FALSE(estimate.enqueue(8));
}

TEST(BusyEstimateTest, whatIsTooMuchAddsUpNoFurtherThanAQueueHolds) {
  BusyEstimate estimate(10);
  for (int run = 0; run < 100000; ++run) {
    estimate.enqueue(0);
  }
  EXPECT_FALSE(estimate.enqueue(10239));
  BusyEstimate other(10);
  for (int run = 0; run < 100000; ++run) {
    other.enqueue(0);
  }
  EXPECT_TRUE(other.enqueue(10240));
}

TEST(BusyEstimateTest, runsOfNoTimeLeaveItIdle) {
  BusyEstimate estimate(0);
  EXPECT_TRUE(estimate.enqueue(3));
  EXPECT_TRUE(estimate.enqueue(3));
}

} // namespace
} // namespace minic::runtime
