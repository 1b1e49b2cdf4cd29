// SPDX-License-Identifier: Apache-2.0
//
// TimedGpuFunction: operands, recordings, and the host's clock.

#include "runtime/measure/TimedGpuFunction.h"

#include "runtime/base/StatusWord.h"
#include "runtime/program/ProgramImpl.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <chrono>

namespace minic::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Longer replays are their own warm-up.
constexpr double longReplayUs = 1000;

/// Shorter replays do not bring all that a function touches into the caches.
constexpr double shortWarmUpUs = 100;

/// So many replays of a shorter recording stand for one of a longer: what the
/// events around each add is little, and to record anew takes long.
constexpr int64_t mostReplays = 4;

/// Commands in one recording: more take longer to instantiate than to run.
constexpr int64_t mostCommands = 512;

uint64_t alignUp(uint64_t bytes) { return (bytes + 255) / 256 * 256; }

double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

} // namespace

TimedGpuFunction::~TimedGpuFunction() {
  // Nobody runs any more: all samples were waited for.
  executions.clear();
  recorded.clear();
  hostTimed.clear();
  changing.clear();
  options.spare->leave(std::move(block));
}

absl::StatusOr<std::unique_ptr<TimedGpuFunction>>
TimedGpuFunction::create(std::shared_ptr<const Program> program,
                         const Options &options) {
  std::unique_ptr<TimedGpuFunction> function(
      new TimedGpuFunction(std::move(program), options));
  absl::Status status = function->allocate();
  if (!status.ok()) {
    return status;
  }
  // The first run makes a library's late decisions, which a recording must
  // not see; all Executions share its calls.
  status = function->executions[0]->run(function->operands->callers(0));
  status.Update(exceptIndices(function->executions[0]->synchronize()));
  if (!status.ok()) {
    return status;
  }
  return function;
}

absl::Status TimedGpuFunction::allocate() {
  const Executable &executable = *program->impl().executable;
  std::shared_ptr<const DeviceMemory> memory(program, &executable.memory());
  const auto &inputs = program->inputs(), &outputs = program->outputs();
  int64_t sets = 1;
  if (options.residency == Residency::cold) {
    sets = rotationLength(RotatedOperands::setBytes(inputs, outputs) +
                              executable.constantBytes(),
                          options.cacheBytes);
  }
  if (options.operands && *options.operands &&
      (*options.operands)->fit(inputs, outputs, sets)) {
    operands = *options.operands;
  } else {
    if (options.operands) {
      options.operands->reset(); // before others take their place
    }
    absl::StatusOr<std::shared_ptr<const RotatedOperands>> created =
        RotatedOperands::create(memory, inputs, outputs, sets);
    if (!created.ok()) {
      return created.status();
    }
    operands = *std::move(created);
    if (options.operands) {
      *options.operands = operands;
    }
  }
  int64_t copies = executable.constantBytes() > 0 ? sets - 1 : 0;
  absl::StatusOr<SpareBuffer::Block> taken = options.spare->take(
      memory, alignUp(program->arenaBytes()) +
                  uint64_t(copies) * executable.constantBytes());
  if (!taken.ok()) {
    return taken.status();
  }
  block = *std::move(taken);
  if (copies > 0) {
    absl::Status status = executable.copyConstants(constantsOf(1), copies);
    if (!status.ok()) {
      return status;
    }
  }
  for (int64_t set = 0; set <= copies; ++set) {
    absl::StatusOr<std::unique_ptr<Execution>> execution =
        createExecution(GraphMode::Off, set);
    if (!execution.ok()) {
      return execution.status();
    }
    executions.push_back(*std::move(execution));
  }
  return absl::OkStatus();
}

void *TimedGpuFunction::constantsOf(int64_t set) const {
  return block.buffer.data() + alignUp(program->arenaBytes()) +
         uint64_t(set - 1) * program->impl().executable->constantBytes();
}

absl::StatusOr<std::unique_ptr<Execution>>
TimedGpuFunction::createExecution(GraphMode mode, int64_t set, double runUs,
                                  std::optional<PointerPolicy> pointers) const {
  ExecutionOptions execution{block.buffer.data()};
  execution.graph = mode;
  execution.runUs = runUs;
  execution.pointers = pointers;
  execution.constants = set > 0 ? constantsOf(set) : nullptr;
  execution.sharesCalls = true; // there is one for each set
  execution.isArenaZeroed = !executions.empty();
  return program->impl().executable->createExecution(execution);
}

absl::StatusOr<TimedGpuFunction::Recorded *>
TimedGpuFunction::record(int64_t count) {
  Recorded &entry = recorded[count];
  if (entry.runs) {
    return &entry;
  }
  auto body = [&](void *stream) {
    absl::Status status;
    for (const std::unique_ptr<Execution> &execution : executions) {
      status.Update(execution->setStream(stream));
    }
    for (int64_t i = 0; i < count && status.ok(); ++i) {
      status = executions[i % executions.size()]->run(
          operands->callers(i % operands->sets()));
    }
    return status;
  };
  absl::StatusOr<std::unique_ptr<RecordedRuns>> runs =
      program->impl().executable->record(body);
  absl::Status status = runs.status();
  for (const std::unique_ptr<Execution> &execution : executions) {
    status.Update(execution->setStream(nullptr));
  }
  if (!status.ok()) {
    recorded.erase(count);
    return status;
  }
  entry.runs = *std::move(runs);
  entry.count = count;
  return &entry;
}

TimedGpuFunction::Recorded &TimedGpuFunction::warmUpOf(Recorded &entry) {
  for (auto &[count, shorter] : recorded) {
    if (shorter.lastUs >= shortWarmUpUs && count < entry.count) {
      return shorter;
    }
  }
  return entry;
}

absl::StatusOr<double> TimedGpuFunction::sampleDevice(int64_t iterations) {
  int64_t commands =
      std::max<int64_t>(1, program->impl().variant->run()->size());
  int64_t sets = std::max<int64_t>(operands->sets(), executions.size());
  int64_t count =
      std::min(iterations, std::max<int64_t>(1, mostCommands / commands));
  if (options.residency == Residency::cold) {
    // Whole turns, so that a replay begins with what left the cache longest
    // ago.
    count = std::max<int64_t>(1, count / sets) * sets;
  }
  if (!recorded.empty()) {
    int64_t longest = recorded.rbegin()->first;
    if (longest < count && longest >= (count + mostReplays - 1) / mostReplays) {
      count = longest;
    }
  }
  absl::StatusOr<Recorded *> found = record(count);
  if (!found.ok()) {
    return found.status();
  }
  Recorded &entry = **found;
  if (entry.lastUs < longReplayUs) {
    absl::StatusOr<double> warmUp = warmUpOf(entry).runs->replay();
    if (!warmUp.ok()) {
      return warmUp.status();
    }
  }
  int64_t replays = (iterations + count - 1) / count;
  double total = 0;
  for (int64_t i = 0; i < replays; ++i) {
    absl::StatusOr<double> us = entry.runs->replay();
    if (!us.ok()) {
      return us.status();
    }
    total += entry.lastUs = *us;
  }
  return total / double(replays * count);
}

static GraphMode graphModeOf(RunMode mode) {
  switch (mode) {
  case RunMode::graph:
  case RunMode::graphCall:
    return GraphMode::On;
  case RunMode::whenIdle:
  case RunMode::whenIdleCall:
    return GraphMode::WhenIdle;
  case RunMode::device:
  case RunMode::stream:
  case RunMode::streamCall:
    break;
  }
  return GraphMode::Off;
}

absl::StatusOr<Execution *> TimedGpuFunction::findExecution(GraphMode mode,
                                                            double runUs) {
  HostTimed &timed = hostTimed[mode];
  if (!timed.execution || timed.runUs != runUs) {
    absl::StatusOr<std::unique_ptr<Execution>> created =
        createExecution(mode, 0, runUs);
    if (!created.ok()) {
      return created.status();
    }
    timed = {*std::move(created), runUs};
  }
  return timed.execution.get();
}

absl::StatusOr<double>
TimedGpuFunction::sampleHost(int64_t iterations, RunMode mode, double runUs) {
  absl::StatusOr<Execution *> found = findExecution(graphModeOf(mode), runUs);
  if (!found.ok()) {
    return found.status();
  }
  Execution *execution = *found;
  void *const *callers = operands->callers(0);
  absl::Status status = execution->run(callers);
  status.Update(exceptIndices(execution->synchronize()));
  if (status.ok() && !execution->graphRefusal().empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("graph capture refused: ", execution->graphRefusal()));
  }
  bool waitsEachTime = mode == RunMode::streamCall ||
                       mode == RunMode::graphCall ||
                       mode == RunMode::whenIdleCall;
  Clock::time_point start = Clock::now();
  for (int64_t i = 0; i < iterations && status.ok(); ++i) {
    status = execution->run(callers);
    if (waitsEachTime) {
      status.Update(exceptIndices(execution->synchronize()));
    }
  }
  status.Update(exceptIndices(execution->synchronize()));
  double us = microsecondsSince(start);
  if (!status.ok()) {
    return status;
  }
  return us / double(iterations);
}

/// What makes all runs do what `changes` says.
static PointerPolicy policyOf(ChangedPointers changes) {
  return {changes == ChangedPointers::stage ? UINT64_MAX : 0,
          changes == ChangedPointers::update ? 0 : PointerPolicy::never};
}

/// How many runs did what `changes` says.
static int64_t runsOf(ChangedPointers changes, const GraphCounters &counters) {
  return changes == ChangedPointers::stage    ? counters.replays
         : changes == ChangedPointers::update ? counters.updates
                                              : counters.plainRuns;
}

absl::StatusOr<double>
TimedGpuFunction::sampleChanging(int64_t iterations, bool waits,
                                 ChangedPointers changes) {
  if (!others) {
    absl::StatusOr<std::shared_ptr<const RotatedOperands>> created =
        RotatedOperands::create(
            {program, &program->impl().executable->memory()}, program->inputs(),
            program->outputs(), /*sets=*/2);
    if (!created.ok()) {
      return created.status();
    }
    others = *std::move(created);
  }
  std::unique_ptr<Execution> &execution = changing[changes];
  if (!execution) {
    absl::StatusOr<std::unique_ptr<Execution>> created =
        createExecution(GraphMode::On, 0, /*runUs=*/0, policyOf(changes));
    if (!created.ok()) {
      return created.status();
    }
    execution = *std::move(created);
  }
  // The graph is bound to what no timed run has.
  absl::Status status = execution->run(operands->callers(0));
  status.Update(exceptIndices(execution->synchronize()));
  int64_t before = runsOf(changes, execution->graphCounters());
  Clock::time_point start = Clock::now();
  for (int64_t i = 0; i < iterations && status.ok(); ++i) {
    status = execution->run(others->callers(i % 2));
    if (waits) {
      status.Update(exceptIndices(execution->synchronize()));
    }
  }
  status.Update(exceptIndices(execution->synchronize()));
  double us = microsecondsSince(start);
  if (!status.ok()) {
    return status;
  }
  if (runsOf(changes, execution->graphCounters()) != before + iterations) {
    return absl::FailedPreconditionError(
        absl::StrCat("changed pointers refused: cannot ", toString(changes),
                     execution->graphRefusal().empty() ? "" : ": ",
                     execution->graphRefusal()));
  }
  return us / double(iterations);
}

absl::StatusOr<double> TimedGpuFunction::sample(int64_t iterations,
                                                RunMode mode, double runUs) {
  return mode == RunMode::device ? sampleDevice(iterations)
                                 : sampleHost(iterations, mode, runUs);
}

} // namespace minic::runtime
