// SPDX-License-Identifier: Apache-2.0
//
// BenchReport: from samples to figures.

#include "tools/minic-bench/BenchReport.h"

#include "runtime/base/RateText.h"
#include "runtime/measure/Statistics.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "nlohmann/json.hpp"

#include <algorithm>
#include <cmath>

namespace minic::tools {

using runtime::Estimate;

namespace {

constexpr const char *version = "2";

int64_t roundsOf(const BenchResult &result) {
  return int64_t(result.series[0].samplesUs.size());
}

/// On a GPU by its own clock.
double gflops(const BenchSeries &series) {
  const std::vector<double> &samples = series.deviceSamplesUs.empty()
                                           ? series.samplesUs
                                           : series.deviceSamplesUs;
  return double(series.flops) / (runtime::median(samples) * 1e3);
}

bool isOnGpu(const BenchSeries &series) { return series.place.type != 1; }

/// On a GPU by its own clock, of what the artifact's estimates say of this very
/// device; 0 for another. On a CPU the median over rounds of achieved over
/// possible, each from the same round.
double shareOfPeak(const BenchSeries &series, const BenchResult &result) {
  if (isOnGpu(series)) {
    bool isKnown =
        std::any_of(result.device.gpus.begin(), result.device.gpus.end(),
                    [&](const runtime::GpuFacts &gpu) {
                      return gpu.index == series.place.index &&
                             gpu.name == series.arithmetic.device;
                    });
    return isKnown ? series.arithmetic.idealUs /
                         runtime::median(series.deviceSamplesUs)
                   : 0;
  }
  std::vector<double> shares;
  for (size_t i = 0; i < series.samplesUs.size(); ++i) {
    std::map<runtime::PeakDtype, double> peaks;
    for (const auto &[dtype, peak] : result.peaks) {
      peaks[dtype] = peak.gflops[i];
    }
    shares.push_back(idealUs(series.arithmetic, double(series.flops), peaks) /
                     series.samplesUs[i]);
  }
  return runtime::median(shares);
}

/// Why a share is not told.
std::string overPeakText(const BenchSeries &series, double share) {
  return absl::StrFormat(
      "%s: share of the peak unknown: it is %.2f times as fast as %s, "
      "so that is no peak\n",
      series.path, share,
      isOnGpu(series) ? "the device's estimated peak"
                      : "the loop that measures the peak");
}

/// "4.653 ms", "12.30 us", "24.15 ns"
std::string timeText(double microseconds) {
  auto digits = [](double value) {
    int whole = value >= 1 ? int(std::log10(value)) : 0;
    return absl::StrFormat("%.*f", std::max(0, 3 - whole), value);
  };
  if (microseconds >= 1e6) {
    return digits(microseconds * 1e-6) + " s";
  }
  if (microseconds >= 1e3) {
    return digits(microseconds * 1e-3) + " ms";
  }
  return microseconds >= 1 ? digits(microseconds) + " us"
                           : digits(microseconds * 1e3) + " ns";
}

std::string plural(int64_t count, const char *noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

/// `what` is "" or "device ".
std::string ratioText(const BenchSeries &other, const BenchSeries &base,
                      const char *what,
                      std::vector<double> BenchSeries::*samples) {
  Estimate ratio = runtime::estimateRatio(other.*samples, base.*samples);
  std::string text = absl::StrFormat("%stime of %s / %s: %.4f", what,
                                     other.path, base.path, ratio.value);
  if (!std::isfinite(ratio.high)) {
    return text + " (too few rounds for an interval)\n";
  }
  absl::StrAppendFormat(&text, ", 95%% interval [%.4f, %.4f]: ", ratio.low,
                        ratio.high);
  if (ratio.low > 1) {
    absl::StrAppendFormat(&text, "%s is %.2f times as fast\n", base.path,
                          ratio.value);
  } else if (ratio.high < 1) {
    absl::StrAppendFormat(&text, "%s is %.2f times as fast\n", other.path,
                          1 / ratio.value);
  } else {
    text += "no difference beyond the noise\n";
  }
  return text;
}

/// "a.minic on CUDA device 0: device time 5.32 us, ..."
std::string gpuText(const BenchSeries &series) {
  const runtime::GraphCounters &graph = series.graph;
  std::string text = absl::StrCat(
      series.path, " on ", runtime::toString(series.place), ": device time ",
      timeText(runtime::median(series.deviceSamplesUs)),
      ", one synchronized call ",
      timeText(runtime::median(series.callSamplesUs)),
      "; graph: ", plural(graph.instantiations, "instantiation"), ", ",
      plural(graph.updates, "update"), ", ", plural(graph.replays, "replay"),
      ", ", plural(graph.plainRuns, "plain run"));
  if (!series.graphRefusal.empty()) {
    absl::StrAppend(&text, ", refused: ", series.graphRefusal);
  }
  return text + "\n";
}

/// "FILE: quantiles 0.1: 1.2 us, 0.9: 1.4 us"; empty where none is asked for.
std::string quantilesText(const BenchSeries &series,
                          const std::vector<double> &quantiles) {
  std::string text;
  for (double q : quantiles) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", q, ": ",
                    timeText(runtime::quantile(series.samplesUs, q)));
  }
  return text.empty() ? text
                      : absl::StrCat(series.path, ": quantiles ", text, "\n");
}

/// Figures of `samples` under names that begin with `prefix`.
void addSamples(nlohmann::ordered_json &json, const std::string &prefix,
                const std::vector<double> &samples) {
  Estimate median = runtime::estimateMedian(samples);
  json[prefix + "median_us"] = median.value;
  json[prefix + "median_low_us"] = median.low;
  json[prefix + "median_high_us"] = median.high;
  json[prefix + "samples_us"] = samples;
}

nlohmann::ordered_json seriesJson(const BenchSeries &series,
                                  const BenchResult &result) {
  const std::vector<double> &samples = series.samplesUs;
  Estimate median = runtime::estimateMedian(samples);
  nlohmann::ordered_json json;
  json["path"] = series.path;
  json["threads"] = series.threads;
  json["flops"] = series.flops;
  json["calls_library"] = series.callsLibrary;
  json["load_us"] = runtime::median(series.loadSamplesUs);
  json["runs_per_sample"] = series.iterations;
  json["median_us"] = median.value;
  // Null where there are too few rounds to bound it.
  json["median_low_us"] = median.low;
  json["median_high_us"] = median.high;
  json["p50_us"] = median.value;
  json["p90_us"] = runtime::quantile(samples, 0.90);
  json["p95_us"] = runtime::quantile(samples, 0.95);
  json["p99_us"] = runtime::quantile(samples, 0.99);
  json["mean_us"] = runtime::mean(samples);
  json["best_us"] = runtime::quantile(samples, 0);
  json["gflops"] = gflops(series);
  // Null where it is not known.
  double share = shareOfPeak(series, result);
  json["share_of_peak"] = share > 0 && share <= 1
                              ? nlohmann::ordered_json(share)
                              : nlohmann::ordered_json();
  json["samples_us"] = samples;
  if (isOnGpu(series)) {
    addSamples(json, "call_", series.callSamplesUs);
    addSamples(json, "device_", series.deviceSamplesUs);
    json["gpu"] = series.place.index;
    json["graph"] = {{"instantiations", series.graph.instantiations},
                     {"updates", series.graph.updates},
                     {"replays", series.graph.replays},
                     {"plain_runs", series.graph.plainRuns},
                     {"refusal", series.graphRefusal}};
  }
  return json;
}

/// Two artifacts of the same kernels and calls: what lies between them is
/// noise. On a GPU they may still run in different ways.
bool hasEqualChoices(const BenchSeries &other, const BenchSeries &base) {
  const Arithmetic &mine = other.arithmetic, &theirs = base.arithmetic;
  return !isOnGpu(other) && !isOnGpu(base) && other.threads == base.threads &&
         !mine.choices.empty() && mine.choices == theirs.choices &&
         mine.device == theirs.device;
}

/// Null bounds where there are too few rounds for an interval.
nlohmann::ordered_json comparisonJson(const BenchSeries &other,
                                      const BenchSeries &base) {
  Estimate ratio = runtime::estimateRatio(other.samplesUs, base.samplesUs);
  nlohmann::ordered_json json = {{"artifact", other.path},
                                 {"base", base.path},
                                 {"time_ratio", ratio.value},
                                 {"low", ratio.low},
                                 {"high", ratio.high}};
  if (hasEqualChoices(other, base)) {
    json["equal_choices"] = true;
  }
  if (isOnGpu(other) && isOnGpu(base)) {
    ratio = runtime::estimateRatio(other.deviceSamplesUs, base.deviceSamplesUs);
    json["device_time_ratio"] = ratio.value;
    json["device_low"] = ratio.low;
    json["device_high"] = ratio.high;
  }
  return json;
}

nlohmann::ordered_json deviceJson(const runtime::DeviceFacts &facts) {
  nlohmann::ordered_json json;
  json["name"] = facts.name;
  json["vendor"] = facts.vendor;
  json["family"] = facts.family;
  json["model"] = facts.model;
  json["stepping"] = facts.stepping;
  json["features"] = facts.features;
  json["l1_bytes"] = facts.l1Bytes;
  json["l2_bytes"] = facts.l2Bytes;
  json["l3_bytes"] = facts.l3Bytes;
  json["cores"] = facts.cores;
  json["libraries"] = facts.libraries;
  for (const runtime::GpuFacts &gpu : facts.gpus) {
    json["gpus"].push_back({{"index", gpu.index}, {"name", gpu.name}});
  }
  return json;
}

} // namespace

std::string textReport(const BenchOptions &options, const BenchResult &result) {
  std::string text = absl::StrFormat(
      "%s, %s; %s, caches %s", result.device.name,
      plural(result.device.cores, "core"), plural(roundsOf(result), "round"),
      runtime::toString(options.residency));
  for (const auto &[dtype, peak] : result.peaks) {
    absl::StrAppend(&text, "; ", runtime::toString(dtype), " peak ",
                    runtime::rateText(runtime::median(peak.gflops)), " (",
                    peak.instructionSet, ", ", plural(peak.threads, "thread"),
                    ")");
  }
  for (const runtime::GpuFacts &gpu : result.device.gpus) {
    absl::StrAppend(&text, "; CUDA device ", gpu.index, ": ", gpu.name);
  }
  text += '\n';
  size_t width = 8;
  for (const BenchSeries &series : result.series) {
    width = std::max(width, series.path.size());
  }
  absl::StrAppendFormat(&text, "%-*s %7s %10s %10s %10s %10s %10s %14s %8s\n",
                        int(width), "artifact", "threads", "p50", "p90", "p95",
                        "p99", "mean", "rate", "of peak");
  for (const BenchSeries &series : result.series) {
    const std::vector<double> &samples = series.samplesUs;
    absl::StrAppendFormat(
        &text, "%-*s %7d %10s %10s %10s %10s %10s %14s %8s\n", int(width),
        series.path, series.threads, timeText(runtime::median(samples)),
        timeText(runtime::quantile(samples, 0.90)),
        timeText(runtime::quantile(samples, 0.95)),
        timeText(runtime::quantile(samples, 0.99)),
        timeText(runtime::mean(samples)),
        series.flops == 0 ? "-" : runtime::rateText(gflops(series)),
        shareText(shareOfPeak(series, result)));
  }
  for (const BenchSeries &series : result.series) {
    double share = shareOfPeak(series, result);
    text += share > 1 ? overPeakText(series, share) : "";
  }
  for (const BenchSeries &series : result.series) {
    Estimate median = runtime::estimateMedian(series.samplesUs);
    absl::StrAppendFormat(&text, "%s: loads in %s; a sample is the mean of %s",
                          series.path,
                          timeText(runtime::median(series.loadSamplesUs)),
                          plural(series.iterations, "run"));
    if (std::isfinite(median.high)) {
      absl::StrAppendFormat(&text, "; median ±%.2f%%",
                            100 * median.halfWidth());
    }
    if (options.overhead) {
      absl::StrAppend(&text, "; a run with its fixed overhead takes at least ",
                      timeText(runtime::quantile(series.samplesUs, 0)));
    }
    text += '\n';
  }
  for (const BenchSeries &series : result.series) {
    text += isOnGpu(series) ? gpuText(series) : "";
    text += quantilesText(series, options.quantiles);
  }
  const BenchSeries &base = result.series[0];
  for (size_t i = 1; i < result.series.size(); ++i) {
    const BenchSeries &other = result.series[i];
    text += ratioText(other, base, "", &BenchSeries::samplesUs);
    if (isOnGpu(other) && isOnGpu(base)) {
      text += ratioText(other, base, "device ", &BenchSeries::deviceSamplesUs);
    }
  }
  return text;
}

std::string jsonReport(const BenchOptions &options, const BenchResult &result) {
  nlohmann::ordered_json json;
  json["format"] = absl::StrCat("minic-bench ", version);
  json["device"] = deviceJson(result.device);
  json["function"] = options.function;
  json["residency"] = runtime::toString(options.residency);
  json["rounds"] = roundsOf(result);
  json["checked"] = options.check;
  json["peaks"] = nlohmann::ordered_json::object();
  for (const auto &[dtype, peak] : result.peaks) {
    json["peaks"][runtime::toString(dtype)] = {
        {"gflops", runtime::median(peak.gflops)},
        {"instruction_set", peak.instructionSet},
        {"threads", peak.threads},
        {"samples_gflops", peak.gflops}};
  }
  json["artifacts"] = nlohmann::ordered_json::array();
  for (const BenchSeries &series : result.series) {
    nlohmann::ordered_json artifact = seriesJson(series, result);
    for (double q : options.quantiles) {
      artifact["quantiles_us"][absl::StrCat(q)] =
          runtime::quantile(series.samplesUs, q);
    }
    json["artifacts"].push_back(std::move(artifact));
  }
  json["comparisons"] = nlohmann::ordered_json::array();
  for (size_t i = 1; i < result.series.size(); ++i) {
    json["comparisons"].push_back(
        comparisonJson(result.series[i], result.series[0]));
  }
  return json.dump(1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

} // namespace minic::tools
