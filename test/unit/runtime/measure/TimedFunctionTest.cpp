// SPDX-License-Identifier: Apache-2.0
//
// Timing answers times of the right size; nothing here depends on how fast the
// machine is.

#include "runtime/measure/TimedFunction.h"
#include "runtime/measure/DescribeDevice.h"
#include "runtime/measure/JoinCost.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <chrono>

namespace minic::runtime {
namespace {

using Clock = std::chrono::steady_clock;

TimedFunction timed(int64_t count) {
  auto program =
      Program::loadBytes(::minic::testing::scaleArtifact(count).bytes());
  EXPECT_TRUE(program.ok()) << program.status();
  auto function = TimedFunction::create(*program);
  EXPECT_TRUE(function.ok()) << function.status();
  return *std::move(function);
}

TEST(TimedFunctionTest, ASampleIsTheMeanOfItsRuns) {
  TimedFunction function = timed(1000);
  for (int64_t iterations : {1, 1000}) {
    auto start = Clock::now();
    auto sample = function.sample(iterations);
    std::chrono::duration<double, std::micro> all = Clock::now() - start;
    ASSERT_TRUE(sample.ok()) << sample.status();
    EXPECT_GT(*sample, 0);
    EXPECT_LE(*sample * double(iterations), all.count());
  }
}

/// What is compared lies in the same place.
TEST(TimedFunctionTest, TakesOperandsOfAnotherWhereTheyFit) {
  auto load = [](int64_t count) {
    return *Program::loadBytes(::minic::testing::scaleArtifact(count).bytes());
  };
  auto first = TimedFunction::create(load(1000));
  auto equal = TimedFunction::create(load(1000), {}, first->operands());
  auto other = TimedFunction::create(load(999), {}, first->operands());
  ASSERT_TRUE(first.ok() && equal.ok() && other.ok());
  EXPECT_EQ(equal->operands(), first->operands());
  EXPECT_NE(other->operands(), first->operands());
  EXPECT_TRUE(other->operands()->fit(other->program()));
  EXPECT_FALSE(other->operands()->fit(first->program()));
  EXPECT_TRUE(first->sample(3).ok() && equal->sample(3).ok() &&
              other->sample(3).ok());
}

TEST(TimedFunctionTest, EvictionIsNotInTheTime) {
  TimedFunction function = timed(16);
  auto evictor = CacheEvictor::create(64 << 20);
  ASSERT_TRUE(evictor.ok());
  // The first eviction also takes the page faults.
  auto start = Clock::now();
  evictor->evict();
  std::chrono::duration<double, std::micro> eviction = Clock::now() - start;
  auto sample = function.sample(3, &*evictor);
  ASSERT_TRUE(sample.ok());
  EXPECT_LT(*sample, eviction.count());
}

/// With an L3 of 480 MB a search took minutes for each problem.
TEST(TimedFunctionTest, EvictionTakesNoMoreThanItsShareOfASample) {
  TimedFunction function = timed(16);
  auto evictor = CacheEvictor::create(int64_t(1) << 40);
  ASSERT_TRUE(evictor.ok());
  auto start = Clock::now();
  EXPECT_TRUE(function.sample(10000, &*evictor).ok());
  // All of them would take two minutes at 20 GB/s.
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(30));
}

TEST(DescribeDeviceTest, SaysWhatThisMachineIs) {
  DeviceFacts facts = describeDevice();
  EXPECT_FALSE(facts.vendor.empty());
  EXPECT_FALSE(facts.name.empty());
  EXPECT_GT(facts.family, 0);
  EXPECT_GE(facts.cores, 1);
  EXPECT_GT(facts.l1Bytes, 0);
  EXPECT_GE(lastLevelCacheBytes(facts), facts.l2Bytes);
  EXPECT_TRUE(std::is_sorted(facts.features.begin(), facts.features.end()));
  EXPECT_TRUE(std::binary_search(facts.features.begin(), facts.features.end(),
                                 std::string("sse2")));
}

TEST(JoinCostTest, IsWhatATeamTakesWithoutWork) {
  EXPECT_EQ(*measureJoinUs(1), 0);
  absl::StatusOr<double> us = measureJoinUs(2);
  if (us.ok()) {
    EXPECT_GT(*us, 0);
    EXPECT_LE(*us, 6);
  } else { // other tests run
    EXPECT_TRUE(absl::IsUnavailable(us.status())) << us.status();
  }
}

} // namespace
} // namespace minic::runtime
