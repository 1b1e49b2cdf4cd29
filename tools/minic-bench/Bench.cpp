// SPDX-License-Identifier: Apache-2.0
//
// Loading, warming up, rounds.

#include "tools/minic-bench/Bench.h"

#include "runtime/measure/DescribeDevice.h"
#include "runtime/measure/DescribeGpus.h"
#include "runtime/measure/OutputFile.h"
#include "runtime/measure/PairedRounds.h"
#include "runtime/measure/PeakFlops.h"
#include "runtime/measure/RandomConstants.h"
#include "runtime/measure/Statistics.h"
#include "runtime/measure/TimedFunction.h"
#include "tools/common/CommandLine.h"
#include "tools/common/ModelInputs.h"
#include "tools/common/ReferenceCheck.h"
#include "tools/minic-bench/BenchReport.h"
#include "tools/minic-bench/Callable.h"
#include "tools/minic-bench/ChromeTrace.h"
#include "tools/minic-bench/CompileModels.h"
#include "tools/minic-bench/LockClocks.h"
#include "tools/minic-bench/TimedContext.h"
#include "tools/minic-bench/TracePage.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

namespace minic::tools {

using runtime::CacheEvictor;
using runtime::PeakFlops;
using runtime::Program;
using runtime::TimedFunction;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int overheadLoads = 21; // loads whose median --overhead reports
constexpr uint64_t constantsSeed = 1;
// Of traced runs, so many as take this long, within the limits.
constexpr double traceUs = 2e5;
constexpr int fewestTraces = 5, mostTraces = 101;

double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

/// The artifact of that index.
absl::StatusOr<std::shared_ptr<const Program>>
loadArtifact(const BenchOptions &options, size_t index) {
  runtime::ProgramOptions programOptions;
  programOptions.function = options.functionOf(index);
  programOptions.threads = options.threads;
  programOptions.device = options.device;
  programOptions.constants = runtime::randomConstants(constantsSeed);
  if (index == 0) {
    programOptions.expectedDigest = options.expectedDigest;
  }
  return Program::load(options.artifacts[index], programOptions);
}

/// An artifact or a callable in the rounds: one of the three.
struct Contestant {
  std::optional<TimedFunction> cpu;
  std::unique_ptr<TimedContext> gpu;
  std::optional<Callable> callable;

  absl::StatusOr<double> sample(int64_t iterations) {
    if (callable) {
      return callable->sample(iterations);
    }
    return gpu ? gpu->sampleBackToBack(iterations) : cpu->sample(iterations);
  }
};

/// `first`: the one before whose tensors it takes, if any.
absl::StatusOr<Contestant> enter(const BenchOptions &options,
                                 std::shared_ptr<const Program> program,
                                 const Contestant *first) {
  Contestant contestant;
  if (program->place().type == 1) {
    runtime::ContextOptions contextOptions;
    contextOptions.nvtx = options.nvtx;
    absl::StatusOr<TimedFunction> function = TimedFunction::create(
        std::move(program), contextOptions,
        first && first->cpu ? first->cpu->operands() : nullptr);
    if (!function.ok()) {
      return function.status();
    }
    contestant.cpu = std::move(*function);
    return contestant;
  }
  absl::StatusOr<std::unique_ptr<TimedContext>> timed = TimedContext::create(
      std::move(program), {options.graph, options.residency,
                           first ? first->gpu.get() : nullptr, options.nvtx});
  if (!timed.ok()) {
    return timed.status();
  }
  contestant.gpu = std::move(*timed);
  return contestant;
}

absl::StatusOr<int64_t> warmUp(Contestant &contestant,
                               const BenchOptions &options) {
  return runtime::warmUp(
      [&](int64_t iterations) { return contestant.sample(iterations); },
      options.warmUpMs, options.sampleMs);
}

/// Adds one sample of the contestant to its series.
absl::Status addSample(Contestant &contestant, CacheEvictor *evictor,
                       BenchSeries &series) {
  if (contestant.callable) {
    series.samplesUs.push_back(
        contestant.callable->sample(series.iterations, evictor));
    return absl::OkStatus();
  }
  if (contestant.cpu) {
    absl::StatusOr<double> sample =
        contestant.cpu->sample(series.iterations, evictor);
    if (sample.ok()) {
      series.samplesUs.push_back(*sample);
    }
    return sample.status();
  }
  absl::StatusOr<GpuSample> sample = contestant.gpu->sample(series.iterations);
  if (sample.ok()) {
    series.samplesUs.push_back(sample->backToBack);
    series.callSamplesUs.push_back(sample->call);
    series.deviceSamplesUs.push_back(sample->device);
    series.graph = contestant.gpu->context().graphCounters();
    series.graphRefusal = contestant.gpu->context().graphRefusal();
  }
  return sample.status();
}

/// Loads an artifact, as often as asked, and what `series` tells of it.
absl::StatusOr<std::shared_ptr<const Program>>
loadTimed(const BenchOptions &options, size_t index, BenchSeries &series) {
  std::shared_ptr<const Program> program;
  for (int i = 0; i < (options.overhead ? overheadLoads : 1); ++i) {
    program.reset();
    Clock::time_point start = Clock::now();
    absl::StatusOr<std::shared_ptr<const Program>> loaded =
        loadArtifact(options, index);
    if (!loaded.ok()) {
      return loaded.status();
    }
    series.loadSamplesUs.push_back(microsecondsSince(start));
    program = std::move(*loaded);
  }
  series.threads = program->threads();
  series.flops = program->flops();
  series.arithmetic = readArithmetic(program->evidence());
  series.callsLibrary = program->callsLibrary();
  series.place = program->place();
  return program;
}

/// Opens a callable and warms it up.
absl::StatusOr<Contestant> enterCallable(const BenchOptions &options,
                                         const std::string &text,
                                         BenchSeries &series) {
  Clock::time_point start = Clock::now();
  absl::StatusOr<Callable> callable = Callable::open(text);
  if (!callable.ok()) {
    return callable.status();
  }
  series.path = text;
  series.loadSamplesUs.push_back(microsecondsSince(start));
  Contestant contestant;
  contestant.callable = *callable;
  absl::StatusOr<int64_t> iterations = warmUp(contestant, options);
  if (!iterations.ok()) {
    return iterations.status();
  }
  bool evicts = options.residency == runtime::Residency::cold;
  series.iterations = evicts ? 1 : *iterations;
  return contestant;
}

/// Of an artifact that was timed.
absl::StatusOr<TracedArtifact> traceArtifact(const BenchOptions &options,
                                             Contestant &contestant,
                                             const BenchSeries &series) {
  const Program &program = contestant.cpu ? contestant.cpu->program()
                                          : contestant.gpu->context().program();
  TracedArtifact traced;
  traced.path = series.path;
  traced.function = program.function();
  traced.evidence = program.evidence();
  traced.untracedUs = runtime::median(series.samplesUs);
  traced.commands = runtime::describeCommands(program);
  int count = int(std::clamp<double>(traceUs / traced.untracedUs, fewestTraces,
                                     mostTraces));
  auto run = [&] {
    return contestant.cpu ? contestant.cpu->trace() : contestant.gpu->trace();
  };
  absl::StatusOr<runtime::TracedRuns> runs = runtime::traceRuns(run, count);
  if (!runs.ok()) {
    return runs.status();
  }
  traced.runs = *std::move(runs);
  return traced;
}

} // namespace

absl::StatusOr<BenchResult> runBench(const BenchOptions &options,
                                     const std::function<void()> &loaded) {
  BenchResult result;
  result.device = runtime::describeDevice();
  std::vector<Contestant> contestants;
  int peakThreads = 0; // 0: none on a CPU
  std::set<runtime::PeakDtype> dtypes;
  std::unique_ptr<runtime::ClockLock> clocks; // of the first artifact's GPU
  for (size_t i = 0; i < options.artifacts.size(); ++i) {
    BenchSeries series;
    series.path = options.labels[i];
    absl::StatusOr<std::shared_ptr<const Program>> program =
        loadTimed(options, i, series);
    if (!program.ok()) {
      return program.status();
    }
    if (i == 0) {
      auto locked = lockClocks(options, (*program)->place());
      if (!locked.ok()) {
        return locked.status();
      }
      clocks = *std::move(locked);
    }
    absl::StatusOr<Contestant> contestant =
        enter(options, std::move(*program),
              contestants.empty() ? nullptr : &contestants.front());
    if (!contestant.ok()) {
      return contestant.status();
    }
    absl::StatusOr<int64_t> iterations = warmUp(*contestant, options);
    if (!iterations.ok()) {
      return iterations.status();
    }
    bool evicts =
        contestant->cpu && options.residency == runtime::Residency::cold;
    series.iterations = evicts ? 1 : *iterations;
    if (contestant->cpu) {
      peakThreads = std::max(peakThreads, series.threads);
      for (auto [dtype, part] : series.arithmetic.parts) {
        dtypes.insert(dtype);
      }
    }
    contestants.push_back(std::move(*contestant));
    result.series.push_back(std::move(series));
  }
  loaded();
  for (const std::string &callable : options.callables) {
    BenchSeries &series = result.series.emplace_back();
    absl::StatusOr<Contestant> contestant =
        enterCallable(options, callable, series);
    if (!contestant.ok()) {
      return contestant.status();
    }
    contestants.push_back(std::move(*contestant));
  }
  if (peakThreads == 0) {
    runtime::describeGpus(result.device);
  }

  std::vector<PeakFlops> peaks;
  std::optional<CacheEvictor> evictor;
  for (runtime::PeakDtype dtype : dtypes) {
    absl::StatusOr<PeakFlops> created = PeakFlops::create(peakThreads, dtype);
    if (!created.ok()) {
      return created.status();
    }
    result.peaks[dtype] = {created->instructionSet(), peakThreads, {}};
    peaks.push_back(std::move(*created));
  }
  if (peakThreads > 0 && options.residency == runtime::Residency::cold) {
    absl::StatusOr<CacheEvictor> created =
        CacheEvictor::create(runtime::lastLevelCacheBytes(result.device));
    if (!created.ok()) {
      return created.status();
    }
    evictor = std::move(*created);
  }

  // Each peak is one more contestant.
  absl::Status status = runtime::runPairedRounds(
      contestants.size() + peaks.size(), {options.rounds, options.seconds},
      [&](size_t i) {
        if (i >= contestants.size()) {
          const PeakFlops &peak = peaks[i - contestants.size()];
          result.peaks[peak.dtype()].gflops.push_back(peak.sample());
          return absl::OkStatus();
        }
        return addSample(contestants[i], evictor ? &*evictor : nullptr,
                         result.series[i]);
      });
  if (!status.ok()) {
    return status;
  }
  for (size_t i = 0; options.tracesRuns() && i < contestants.size(); ++i) {
    if (contestants[i].callable) {
      continue;
    }
    absl::StatusOr<TracedArtifact> traced =
        traceArtifact(options, contestants[i], result.series[i]);
    if (!traced.ok()) {
      return traced.status();
    }
    result.traced.push_back(*std::move(traced));
  }
  return result;
}

/// One run on host tensors, wherever the program is.
static absl::Status runOnce(const BenchOptions &options,
                            std::shared_ptr<const Program> program,
                            absl::Span<const runtime::Tensor> inputs,
                            absl::Span<const runtime::Tensor> outputs) {
  runtime::ContextOptions contextOptions;
  contextOptions.graph = options.graph;
  contextOptions.staging = true;
  absl::StatusOr<std::unique_ptr<runtime::Context>> context =
      runtime::Context::create(std::move(program), contextOptions);
  return context.ok() ? runtime::exceptIndices((*context)->run(inputs, outputs))
                      : context.status();
}

absl::StatusOr<bool> checkArtifacts(const BenchOptions &options) {
  bool right = true;
  for (size_t i = 0; i < options.artifacts.size(); ++i) {
    const std::string &path = options.artifacts[i];
    absl::StatusOr<std::shared_ptr<const Program>> program =
        loadArtifact(options, i);
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
    if (absl::Status status =
            runOnce(options, *program, inputs->tensors, outputs->tensors);
        !status.ok()) {
      return status;
    }
    absl::PrintF("%s\n", options.labels[i]);
    ReferenceRequest request;
    request.model = options.model.empty() ? path : options.model;
    request.function = options.functionOf(i);
    absl::StatusOr<bool> matches = checkAgainstReference(
        request, inputSpecs, inputs->tensors, outputSpecs, outputs->tensors);
    if (!matches.ok()) {
      return matches.status();
    }
    right = right && *matches;
  }
  return right;
}

static absl::Status writeTraces(const BenchOptions &options,
                                const BenchResult &result) {
  if (!options.tracesRuns()) {
    return absl::OkStatus();
  }
  std::string trace = chromeTrace(result.traced);
  absl::Status status;
  if (!options.tracePath.empty()) {
    status = runtime::writeOutputFile(options.tracePath, {trace});
  }
  if (!options.tracePage.empty()) {
    absl::StatusOr<std::string> page = putIntoPage(options.tracePage, trace);
    status.Update(page.ok()
                      ? runtime::writeOutputFile(options.tracePage, {*page})
                      : page.status());
  }
  return status;
}

int bench(BenchOptions options) {
  constexpr const char *tool = "minic-bench";
  if (!options.tracePage.empty()) {
    // Before anything is measured.
    if (absl::Status status = putIntoPage(options.tracePage, "null").status();
        !status.ok()) {
      return fail(tool, status);
    }
  }
  std::optional<TemporaryDirectory> compiled;
  if (absl::Status status = compileModels(options, compiled); !status.ok()) {
    return fail(tool, status);
  }
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
  absl::StatusOr<BenchResult> result =
      runBench(options, [&] { compiled.reset(); });
  if (!result.ok()) {
    return fail(tool, result.status());
  }
  absl::PrintF("%s", textReport(options, *result));
  for (const TracedArtifact &traced : result->traced) {
    absl::PrintF("%s", traceTable(traced));
  }
  absl::Status written = writeTraces(options, *result);
  if (!options.jsonPath.empty()) {
    written.Update(runtime::writeOutputFile(options.jsonPath,
                                            {jsonReport(options, *result)}));
  }
  if (!written.ok()) {
    return fail(tool, written);
  }
  return static_cast<int>(ExitCode::Success);
}

} // namespace minic::tools
