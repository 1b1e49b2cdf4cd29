// SPDX-License-Identifier: Apache-2.0
//
// minic_time_callables: who is called, what is said, what is refused.

#include "runtime/include/minic/measure.h"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

namespace {

using ::testing::HasSubstr;

struct Work {
  int microseconds;
  int64_t calls = 0;
};

void spin(void *data) {
  Work &work = *static_cast<Work *>(data);
  ++work.calls;
  auto end = std::chrono::steady_clock::now() +
             std::chrono::microseconds(work.microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(TimeCallables, TimesInTheSameRounds) {
  Work fast = {200}, slow = {800};
  minic_callable callables[] = {{spin, &fast, "fast"}, {spin, &slow, "slow"}};
  double wanted[] = {0, 1}, extremes[2] = {};
  minic_timing_options options = MINIC_TIMING_OPTIONS_INIT;
  options.warmup_ms = 5;
  options.seconds = 0.2;
  options.sample_ms = 0;
  options.quantiles = wanted;
  options.quantile_count = 2;
  minic_timing timings[] = {MINIC_TIMING_INIT, MINIC_TIMING_INIT};
  timings[1].quantiles_us = extremes;
  ASSERT_EQ(minic_time_callables(callables, 2, &options, timings), MINIC_OK)
      << minic_last_error();
  EXPECT_EQ(timings[0].ratio, 1);
  EXPECT_GE(timings[0].median_us, 200);
  EXPECT_GE(timings[1].median_us, 800);
  EXPECT_LE(timings[1].low_us, timings[1].median_us);
  EXPECT_GE(timings[1].high_us, timings[1].median_us);
  EXPECT_GT(timings[1].ratio, 1);
  EXPECT_LE(timings[1].ratio_low, timings[1].ratio);
  EXPECT_GE(timings[1].ratio_high, timings[1].ratio);
  EXPECT_GE(extremes[0], 800);
  EXPECT_GE(extremes[1], timings[1].median_us);
  EXPECT_EQ(timings[0].rounds, timings[1].rounds);
  EXPECT_GE(timings[0].rounds, 10);
  EXPECT_EQ(timings[1].calls_per_sample, 1);
  // One call beside the timed one in each round, and some to warm up.
  EXPECT_GT(fast.calls, 2 * timings[0].rounds);
}

TEST(TimeCallables, RepeatsShortCalls) {
  Work work = {10};
  minic_callable callable = {spin, &work, nullptr};
  minic_timing_options options = MINIC_TIMING_OPTIONS_INIT;
  options.warmup_ms = 1;
  options.seconds = 0.02;
  minic_timing timing = MINIC_TIMING_INIT;
  ASSERT_EQ(minic_time_callables(&callable, 1, &options, &timing), MINIC_OK)
      << minic_last_error();
  EXPECT_GT(timing.calls_per_sample, 1);
  EXPECT_GE(timing.median_us, 10);
}

TEST(TimeCallables, RefusesWhatCannotBeTimed) {
  Work work = {1};
  minic_callable callable = {spin, &work, "w"};
  minic_timing timing = MINIC_TIMING_INIT;
  auto refuse = [&](const minic_timing_options *options, const char *text) {
    EXPECT_EQ(minic_time_callables(&callable, 1, options, &timing),
              MINIC_INVALID_ARGUMENT);
    EXPECT_THAT(minic_last_error(), HasSubstr(text));
    EXPECT_EQ(work.calls, 0);
    EXPECT_EQ(timing.rounds, 0);
  };
  EXPECT_EQ(minic_time_callables(nullptr, 1, nullptr, &timing),
            MINIC_INVALID_ARGUMENT);
  EXPECT_THAT(minic_last_error(), HasSubstr("expected callables and timings"));
  minic_timing_options options = MINIC_TIMING_OPTIONS_INIT;
  options.seconds = -1;
  refuse(&options, "seconds: expected 0 or more, got -1");
  options = MINIC_TIMING_OPTIONS_INIT;
  options.quantile_count = 1;
  refuse(&options, "quantiles: expected an array, got null");
  double beyond = 1.5;
  options.quantiles = &beyond;
  refuse(&options, "quantile 0: expected 0 to 1, got 1.5");
  timing.struct_size = 8;
  refuse(nullptr, "timing 0: expected struct_size ");
  timing.struct_size = sizeof(timing);
  callable.function = nullptr;
  refuse(nullptr, "callable 0 'w': expected a function, got null");
}

} // namespace
