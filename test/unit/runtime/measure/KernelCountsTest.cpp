// SPDX-License-Identifier: Apache-2.0
//
// What the kernel counts, and when a sample counts as disturbed.

#include "runtime/measure/KernelCounts.h"
#include "runtime/measure/Disturbance.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace minic::runtime {
namespace {

TEST(KernelCounts, AreReadByField) {
  EXPECT_EQ(parseRunnable("0.50 0.40 0.30 3/345 6789\n"), 3);
  EXPECT_EQ(parseRunDelayUs("123 5000000 7\n"), 5000);
  EXPECT_EQ(parseStolenUs("cpu  1 2 3 4 5 6 7 50 0 0\ncpu0 9", 100), 5e5);
}

TEST(KernelCounts, OtherFormsSayNothing) {
  EXPECT_EQ(parseRunnable("0.50 0.40 0.30"), std::nullopt);
  EXPECT_EQ(parseRunnable("0.50 0.40 0.30 x/345 6789"), std::nullopt);
  EXPECT_EQ(parseRunnable(""), std::nullopt);
  EXPECT_EQ(parseRunDelayUs("123"), std::nullopt);
  EXPECT_EQ(parseRunDelayUs("123 -4"), std::nullopt);
  EXPECT_EQ(parseStolenUs("cpu 10 0 20 30", 100), std::nullopt);
  EXPECT_EQ(parseStolenUs("intr 1 2 3 4 5 6 7 8 9", 100), std::nullopt);
  EXPECT_EQ(parseStolenUs("", 100), std::nullopt);
}

TEST(Disturbance, IsAShareOfTheSample) {
  WithheldTime before, after;
  before.knowsWaits = after.knowsWaits = true;
  before.waitedUs = 100;
  after.waitedUs = 120;
  EXPECT_TRUE(isDisturbed(before, after, 500));
  EXPECT_FALSE(isDisturbed(before, after, 1000));
  after.stolenUs = 10000;
  EXPECT_TRUE(isDisturbed(before, after, 1000));
  // Switches count where nothing better is known.
  WithheldTime switched = before;
  switched.involuntarySwitches = 1;
  EXPECT_FALSE(isDisturbed(before, switched, 500));
  before.knowsWaits = switched.knowsWaits = false;
  EXPECT_TRUE(isDisturbed(before, switched, 500));
}

// More threads than cores: some have to wait.
TEST(Disturbance, WaitsOfAllThreadsAreSeen) {
  WithheldTime before = readWithheldTime();
  if (!before.knowsWaits) {
    GTEST_SKIP() << "this kernel counts no run-queue delays";
  }
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  std::vector<std::thread> threads;
  // They end after the reading, which knows living threads only.
  std::atomic<bool> isRead = false;
  for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
    threads.emplace_back([&] {
      while (std::chrono::steady_clock::now() < end || !isRead) {
      }
    });
  }
  std::this_thread::sleep_until(end);
  WithheldTime after = readWithheldTime();
  isRead = true;
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(isDisturbed(before, after, 50'000));
}

} // namespace
} // namespace minic::runtime
