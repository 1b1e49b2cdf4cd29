// SPDX-License-Identifier: Apache-2.0
//
// Loading, warming up, rounds.

#include "tools/minic-bench/Bench.h"

#include "runtime/measure/DescribeDevice.h"
#include "runtime/measure/OutputFile.h"
#include "runtime/measure/PeakFlops.h"
#include "runtime/measure/RandomConstants.h"
#include "runtime/measure/TimedFunction.h"
#include "tools/common/CommandLine.h"
#include "tools/common/ModelInputs.h"
#include "tools/common/ReferenceCheck.h"
#include "tools/minic-bench/BenchReport.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

namespace minic::tools {

using runtime::CacheEvictor;
using runtime::PeakFlops;
using runtime::Program;
using runtime::TimedFunction;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int overheadLoads = 21;     // loads whose median --overhead reports
constexpr int minimumRounds = 10;     // even where they take longer than asked
constexpr double maximumOverrun = 10; // but not this many times longer
constexpr double warmUpUs = 50'000;
constexpr uint64_t constantsSeed = 1;

double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

absl::StatusOr<std::shared_ptr<const Program>>
loadArtifact(const BenchOptions &options, const std::string &path) {
  runtime::ProgramOptions programOptions;
  programOptions.function = options.function;
  programOptions.threads = options.threads;
  programOptions.constants = runtime::randomConstants(constantsSeed);
  return Program::load(path, programOptions);
}

/// Runs until code, data and the clock have settled; then how many runs make a
/// sample.
absl::StatusOr<int64_t> warmUp(TimedFunction &function, double sampleMs) {
  double fastestUs = std::numeric_limits<double>::infinity();
  Clock::time_point start = Clock::now();
  int64_t iterations = 1;
  do {
    absl::StatusOr<double> sample = function.sample(iterations);
    if (!sample.ok()) {
      return sample.status();
    }
    fastestUs = std::min(fastestUs, *sample);
    iterations = std::min<int64_t>(2 * iterations, 1024);
  } while (microsecondsSince(start) < warmUpUs);
  // A run that the clock cannot resolve counts as one of a nanosecond.
  double runs = std::ceil(sampleMs * 1000 / std::max(fastestUs, 1e-3));
  return std::max<int64_t>(1, int64_t(runs));
}

/// Whether to go on after `rounds` of them.
bool goesOn(const BenchOptions &options, int rounds, Clock::time_point start) {
  if (options.rounds > 0) {
    return rounds < options.rounds;
  }
  double seconds = microsecondsSince(start) * 1e-6;
  return seconds < options.seconds ||
         (rounds < minimumRounds && seconds < maximumOverrun * options.seconds);
}

} // namespace

absl::StatusOr<BenchResult> runBench(const BenchOptions &options) {
  BenchResult result;
  result.device = runtime::describeDevice();
  std::vector<TimedFunction> functions;
  for (const std::string &path : options.artifacts) {
    BenchSeries series;
    series.path = path;
    std::shared_ptr<const Program> program;
    for (int i = 0; i < (options.overhead ? overheadLoads : 1); ++i) {
      program.reset();
      Clock::time_point start = Clock::now();
      absl::StatusOr<std::shared_ptr<const Program>> loaded =
          loadArtifact(options, path);
      if (!loaded.ok()) {
        return loaded.status();
      }
      series.loadSamplesUs.push_back(microsecondsSince(start));
      program = std::move(*loaded);
    }
    series.threads = program->threads();
    series.flops = program->flops();
    series.callsLibrary = program->callsLibrary();
    absl::StatusOr<TimedFunction> function =
        TimedFunction::create(std::move(program));
    if (!function.ok()) {
      return function.status();
    }
    absl::StatusOr<int64_t> iterations = warmUp(*function, options.sampleMs);
    if (!iterations.ok()) {
      return iterations.status();
    }
    series.iterations =
        options.residency == runtime::Residency::cold ? 1 : *iterations;
    functions.push_back(std::move(*function));
    result.series.push_back(std::move(series));
  }

  absl::StatusOr<PeakFlops> peak = PeakFlops::create(result.series[0].threads);
  if (!peak.ok()) {
    return peak.status();
  }
  result.peakInstructionSet = peak->instructionSet();
  result.peakThreads = result.series[0].threads;
  std::optional<CacheEvictor> evictor;
  if (options.residency == runtime::Residency::cold) {
    absl::StatusOr<CacheEvictor> created =
        CacheEvictor::create(runtime::lastLevelCacheBytes(result.device));
    if (!created.ok()) {
      return created.status();
    }
    evictor = std::move(*created);
  }

  // One more contestant than artifacts: the peak.
  std::vector<size_t> order(functions.size() + 1);
  std::iota(order.begin(), order.end(), size_t(0));
  std::mt19937 generator(1);
  Clock::time_point start = Clock::now();
  for (int round = 0; round == 0 || goesOn(options, round, start); ++round) {
    std::shuffle(order.begin(), order.end(), generator);
    for (size_t contestant : order) {
      if (contestant == functions.size()) {
        result.peakGflops.push_back(peak->sample());
        continue;
      }
      BenchSeries &series = result.series[contestant];
      absl::StatusOr<double> sample = functions[contestant].sample(
          series.iterations, evictor ? &*evictor : nullptr);
      if (!sample.ok()) {
        return sample.status();
      }
      series.samplesUs.push_back(*sample);
    }
  }
  return result;
}

absl::StatusOr<bool> checkArtifacts(const BenchOptions &options) {
  bool right = true;
  for (const std::string &path : options.artifacts) {
    absl::StatusOr<std::shared_ptr<const Program>> program =
        loadArtifact(options, path);
    if (!program.ok()) {
      return program.status();
    }
    const auto &inputSpecs = (*program)->inputs();
    const auto &outputSpecs = (*program)->outputs();
    absl::StatusOr<ModelTensors> inputs =
        readInputs(inputSpecs, std::vector<std::string>(inputSpecs.size()),
                   /*bf16=*/false, /*seed=*/0);
    if (!inputs.ok()) {
      return inputs.status();
    }
    absl::StatusOr<ModelTensors> outputs = allocateTensors(outputSpecs);
    if (!outputs.ok()) {
      return outputs.status();
    }
    absl::StatusOr<std::unique_ptr<runtime::Context>> context =
        runtime::Context::create(*program);
    absl::Status status =
        context.ok() ? (*context)->run(inputs->tensors, outputs->tensors)
                     : context.status();
    if (!status.ok()) {
      return status;
    }
    absl::PrintF("%s\n", path);
    ReferenceRequest request;
    request.model = options.model.empty() ? path : options.model;
    request.function = options.function;
    absl::StatusOr<bool> matches = checkAgainstReference(
        request, inputSpecs, inputs->tensors, outputSpecs, outputs->tensors);
    if (!matches.ok()) {
      return matches.status();
    }
    right = right && *matches;
  }
  return right;
}

int bench(const BenchOptions &options) {
  constexpr const char *tool = "minic-bench";
  if (options.check) {
    absl::StatusOr<bool> right = checkArtifacts(options);
    if (!right.ok()) {
      return fail(tool, right.status());
    }
    if (!*right) {
      return static_cast<int>(
          ExitCode::Mismatch); // speed of wrong results is of no interest
    }
  }
  absl::StatusOr<BenchResult> result = runBench(options);
  if (!result.ok()) {
    return fail(tool, result.status());
  }
  absl::PrintF("%s", textReport(options, *result));
  if (!options.jsonPath.empty()) {
    absl::Status status = runtime::writeOutputFile(
        options.jsonPath, {jsonReport(options, *result)});
    if (!status.ok()) {
      return fail(tool, status);
    }
  }
  return static_cast<int>(ExitCode::Success);
}

} // namespace minic::tools
