// SPDX-License-Identifier: Apache-2.0
//
// TimedGpuFunction: operands, recordings, and the host's clock.

#include "runtime/measure/TimedGpuFunction.h"

#include "runtime/program/ProgramImpl.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <chrono>

namespace minic::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Longer replays are their own warm-up.
constexpr double longReplayUs = 1000;

/// Commands in one recording: more take longer to instantiate than to run.
constexpr int64_t mostCommands = 512;

/// Copies of constants lie as the Executable's own do.
constexpr uint64_t constantAlignment = 256;

uint64_t alignUp(uint64_t bytes) {
  return (bytes + constantAlignment - 1) / constantAlignment *
         constantAlignment;
}

double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

} // namespace

TimedGpuFunction::~TimedGpuFunction() = default;

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
  // not see.
  for (const std::unique_ptr<Execution> &execution : function->executions) {
    status.Update(execution->run(function->operands->callers(0)));
  }
  status.Update(function->executions[0]->synchronize());
  if (!status.ok()) {
    return status;
  }
  return function;
}

absl::Status TimedGpuFunction::allocate() {
  const Executable &executable = *program->impl().executable;
  const DeviceMemory &memory = executable.memory();
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
        RotatedOperands::create(
            std::shared_ptr<const DeviceMemory>(program, &memory), inputs,
            outputs, sets);
    if (!created.ok()) {
      return created.status();
    }
    operands = *std::move(created);
    if (options.operands) {
      *options.operands = operands;
    }
  }
  absl::StatusOr<DeviceBuffer> buffer =
      DeviceBuffer::create(memory, program->arenaBytes());
  if (!buffer.ok()) {
    return buffer.status();
  }
  arena = *std::move(buffer);
  int64_t copies = executable.constantBytes() > 0 ? sets : 1;
  // Together: allocations take longer than the copies.
  buffer = DeviceBuffer::create(
      memory, uint64_t(copies - 1) * alignUp(executable.constantBytes()));
  if (!buffer.ok()) {
    return buffer.status();
  }
  constants = *std::move(buffer);
  for (int64_t set = 0; set < copies; ++set) {
    if (set > 0) {
      absl::Status status = executable.copyConstants(constantsOf(set));
      if (!status.ok()) {
        return status;
      }
    }
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
  return constants.data() +
         uint64_t(set - 1) *
             alignUp(program->impl().executable->constantBytes());
}

absl::StatusOr<std::unique_ptr<Execution>>
TimedGpuFunction::createExecution(GraphMode mode, int64_t set) const {
  ExecutionOptions execution{arena.data()};
  execution.graph = mode;
  execution.constants = set > 0 ? constantsOf(set) : nullptr;
  execution.sharesCalls = true; // there is one for each set
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
  absl::StatusOr<Recorded *> found = record(count);
  if (!found.ok()) {
    return found.status();
  }
  Recorded &entry = **found;
  if (entry.lastUs < longReplayUs) {
    absl::StatusOr<double> warmUp = entry.runs->replay();
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

absl::StatusOr<double> TimedGpuFunction::sampleHost(int64_t iterations,
                                                    RunMode mode) {
  bool replays = mode == RunMode::graph || mode == RunMode::graphCall;
  std::unique_ptr<Execution> &execution = replays ? replayed : streamed;
  if (!execution) {
    absl::StatusOr<std::unique_ptr<Execution>> created =
        createExecution(replays ? GraphMode::On : GraphMode::Off, 0);
    if (!created.ok()) {
      return created.status();
    }
    execution = *std::move(created);
  }
  void *const *callers = operands->callers(0);
  absl::Status status = execution->run(callers);
  status.Update(execution->synchronize());
  if (replays && status.ok() && !execution->graphRefusal().empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("graph capture refused: ", execution->graphRefusal()));
  }
  bool waitsEachTime =
      mode == RunMode::streamCall || mode == RunMode::graphCall;
  Clock::time_point start = Clock::now();
  for (int64_t i = 0; i < iterations && status.ok(); ++i) {
    status = execution->run(callers);
    if (waitsEachTime) {
      status.Update(execution->synchronize());
    }
  }
  status.Update(execution->synchronize());
  double us = microsecondsSince(start);
  if (!status.ok()) {
    return status;
  }
  return us / double(iterations);
}

absl::StatusOr<double> TimedGpuFunction::sample(int64_t iterations,
                                                RunMode mode) {
  return mode == RunMode::device ? sampleDevice(iterations)
                                 : sampleHost(iterations, mode);
}

} // namespace minic::runtime
