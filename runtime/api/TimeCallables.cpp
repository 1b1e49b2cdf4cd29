// SPDX-License-Identifier: Apache-2.0
//
// minic/measure.h over the rounds of minic-bench.

#include "runtime/include/minic/measure.h"

#include "runtime/api/LastError.h"
#include "runtime/measure/PairedRounds.h"
#include "runtime/measure/Statistics.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <vector>

namespace minic::runtime {

namespace {

struct Series {
  int64_t calls = 1;
  std::vector<double> samplesUs;
};

} // namespace

static absl::Status checkOptions(const minic_timing_options &options) {
  for (auto [name, value] : {std::pair("warmup_ms", options.warmup_ms),
                             std::pair("seconds", options.seconds),
                             std::pair("sample_ms", options.sample_ms)}) {
    if (!std::isfinite(value) || value < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": expected 0 or more, got ", value));
    }
  }
  if (options.quantile_count > 0 && !options.quantiles) {
    return absl::InvalidArgumentError("quantiles: expected an array, got null");
  }
  for (size_t i = 0; i < options.quantile_count; ++i) {
    double q = options.quantiles[i];
    if (!(q >= 0 && q <= 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("quantile ", i, ": expected 0 to 1, got ", q));
    }
  }
  return absl::OkStatus();
}

static absl::Status check(const minic_callable *callables, size_t count,
                          const minic_timing *timings) {
  if (!callables || !timings || count == 0) {
    return absl::InvalidArgumentError(
        "expected callables and timings, got none");
  }
  for (size_t i = 0; i < count; ++i) {
    if (!callables[i].function) {
      const char *name = callables[i].name;
      return absl::InvalidArgumentError(absl::StrCat(
          "callable ", i, name ? absl::StrCat(" '", name, "'") : "",
          ": expected a function, got null"));
    }
    if (timings[i].struct_size != sizeof(minic_timing)) {
      return absl::InvalidArgumentError(
          absl::StrCat("timing ", i, ": expected struct_size ",
                       sizeof(minic_timing), ", got ", timings[i].struct_size));
    }
  }
  return absl::OkStatus();
}

/// Mean microseconds of `calls`, after one that is not timed.
static double timeCalls(const minic_callable &callable, int64_t calls) {
  using Clock = std::chrono::steady_clock;
  callable.function(callable.data);
  Clock::time_point start = Clock::now();
  for (int64_t i = 0; i < calls; ++i) {
    callable.function(callable.data);
  }
  // The clock may not resolve a single short call; ratios need a time.
  double us =
      std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  return std::max(us, 1e-3) / double(calls);
}

static void fill(const Series &series, const Series &first,
                 const minic_timing_options &options, minic_timing &timing) {
  Estimate time = estimateMedian(series.samplesUs);
  Estimate ratio = estimateRatio(series.samplesUs, first.samplesUs);
  timing.median_us = time.value;
  timing.low_us = time.low;
  timing.high_us = time.high;
  timing.ratio = ratio.value;
  timing.ratio_low = ratio.low;
  timing.ratio_high = ratio.high;
  timing.calls_per_sample = series.calls;
  timing.rounds = int64_t(series.samplesUs.size());
  for (size_t i = 0; timing.quantiles_us && i < options.quantile_count; ++i) {
    timing.quantiles_us[i] = quantile(series.samplesUs, options.quantiles[i]);
  }
}

static absl::Status timeCallables(const minic_callable *callables, size_t count,
                                  const minic_timing_options &options,
                                  minic_timing *timings) {
  absl::Status status = check(callables, count, timings);
  if (status.ok()) {
    status = checkOptions(options);
  }
  if (!status.ok()) {
    return status;
  }
  std::vector<Series> series(count);
  for (size_t i = 0; i < count; ++i) {
    absl::StatusOr<int64_t> calls = warmUp(
        [&](int64_t iterations) { return timeCalls(callables[i], iterations); },
        options.warmup_ms, options.sample_ms);
    if (!calls.ok()) {
      return calls.status();
    }
    series[i].calls = *calls;
  }
  status = runPairedRounds(count, {0, options.seconds}, [&](size_t i) {
    series[i].samplesUs.push_back(timeCalls(callables[i], series[i].calls));
    return absl::OkStatus();
  });
  for (size_t i = 0; status.ok() && i < count; ++i) {
    fill(series[i], series[0], options, timings[i]);
  }
  return status;
}

} // namespace minic::runtime

minic_status minic_time_callables(const minic_callable *callables, size_t count,
                                  const minic_timing_options *options,
                                  minic_timing *timings) {
  return minic::runtime::guarded([&] {
    minic_timing_options all = MINIC_TIMING_OPTIONS_INIT;
    if (options) {
      std::memcpy(&all, options, std::min(options->struct_size, sizeof(all)));
    }
    return minic::runtime::timeCallables(callables, count, all, timings);
  });
}
