// SPDX-License-Identifier: Apache-2.0
//
// Builds the steps once; runs them.

#include "runtime/device/cpu/CpuExecution.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

namespace minic::runtime {

absl::StatusOr<std::unique_ptr<CpuExecution>>
CpuExecution::create(const std::vector<LoadedCommand> &commands,
                     const PlanMemory &memory, const ThreadTeam &team,
                     const CommandRanges *ranges) {
  std::unique_ptr<CpuExecution> execution(new CpuExecution(memory, team));
  execution->ranges_ = ranges;
  execution->steps_.reserve(commands.size());
  for (const LoadedCommand &command : commands) {
    if (absl::Status status = execution->add(command); !status.ok()) {
      return status;
    }
    ++execution->added_;
  }
  return execution;
}

/// The address as a pointer; of a caller's tensor, null for now.
Arg CpuExecution::resolve(const format::Address &address) const {
  std::byte *base = nullptr;
  switch (address.base()) {
  case format::Base::constant:
    // Kernels take untyped pointers; the checked plan writes no constant.
    base = const_cast<std::byte *>(memory_.constants[address.index()]);
    break;
  case format::Base::arena:
    base = memory_.arena;
    break;
  case format::Base::persistent:
    base = memory_.persistent;
    break;
  case format::Base::input:
  case format::Base::output:
    return {nullptr};
  }
  // Empty memory has no address to add to.
  return {base ? base + address.offset() : nullptr};
}

void CpuExecution::setAddress(Arg &slot, const format::Address &address) {
  slot = resolve(address);
  if (address.base() == format::Base::input) {
    patches_.push_back({&slot, address.index(), address.offset()});
  } else if (address.base() == format::Base::output) {
    patches_.push_back(
        {&slot, memory_.inputCount + address.index(), address.offset()});
  }
}

CpuExecution::Step &CpuExecution::addStep(Kind kind, const Arg *args) {
  return steps_.emplace_back(
      Step{kind, added_, {nullptr, args, 0, nullptr, 0, 0}, nullptr});
}

absl::Status CpuExecution::add(const LoadedCommand &command) {
  switch (command.command->operation_type()) {
  case format::Operation::Launch:
    addLaunch(command, *command.command->operation_as_Launch());
    break;
  case format::Operation::Call:
    return addCall(*command.primitive);
  case format::Operation::Copy: {
    const format::Copy *copy = command.command->operation_as_Copy();
    args_.push_back(std::make_unique<Arg[]>(3));
    Arg *args = args_.back().get();
    setAddress(args[0], *copy->destination());
    setAddress(args[1], *copy->source());
    args[2].integer = copy->bytes();
    if (copy->bytes() != 0) {
      addStep(Kind::copy, args);
    }
    break;
  }
  case format::Operation::Fill: {
    const format::Fill *fill = command.command->operation_as_Fill();
    args_.push_back(std::make_unique<Arg[]>(3));
    Arg *args = args_.back().get();
    setAddress(args[0], *fill->destination());
    args[1].integer = fill->value();
    args[2].integer = fill->bytes();
    if (fill->bytes() != 0) {
      addStep(Kind::fill, args);
    }
    break;
  }
  case format::Operation::NONE:
    break;
  }
  return absl::OkStatus();
}

void CpuExecution::addLaunch(const LoadedCommand &command,
                             const format::Launch &launch) {
  const auto &params = *launch.params();
  args_.push_back(std::make_unique<Arg[]>(params.size()));
  Arg *args = args_.back().get();
  for (uint32_t i = 0; i < params.size(); ++i) {
    if (const auto *address = params[i]->param_as_AddressParam()) {
      setAddress(args[i], *address->address());
    } else {
      args[i].integer = params[i]->param_as_ScalarParam()->value();
    }
  }
  int64_t tiles = launch.grid()->Get(0);
  if (tiles == 0) {
    return;
  }
  auto *scratch = static_cast<std::byte *>(
      launch.scratch() ? resolve(*launch.scratch()).pointer : nullptr);
  int workers = std::min<int64_t>(team_.threads(), tiles);
  addStep(Kind::launch, args).launch = {
      command.entry, args, tiles, scratch, launch.scratch_bytes(), workers};
}

absl::Status CpuExecution::addCall(const OnednnPrimitive &primitive) {
  std::byte *scratch = nullptr;
  if (primitive.plannedScratch() &&
      primitive.plannedScratchBytes() >= primitive.scratchBytes()) {
    scratch =
        static_cast<std::byte *>(resolve(*primitive.plannedScratch()).pointer);
  }
  absl::StatusOr<std::unique_ptr<OnednnCall>> created =
      OnednnCall::create(primitive, scratch);
  if (!created.ok()) {
    return created.status();
  }
  const std::vector<OnednnPrimitive::Operand> &operands = primitive.operands();
  args_.push_back(std::make_unique<Arg[]>(operands.size()));
  Arg *args = args_.back().get();
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].data) {
      args[i].pointer = operands[i].data;
    } else {
      setAddress(args[i], *operands[i].address);
    }
  }
  addStep(Kind::call, args).call = created->get();
  calls_.push_back(std::move(*created));
  return absl::OkStatus();
}

// Kernels carry no type information for the sanitizer to check.
__attribute__((no_sanitize("function"))) void
CpuExecution::runPart(int worker, void *data) {
  const Launch &launch = *static_cast<const Launch *>(data);
  int64_t begin = launch.tiles * worker / launch.workers;
  int64_t end = launch.tiles * (worker + 1) / launch.workers;
  launch.entry(launch.args, begin, end,
               launch.scratch ? launch.scratch + worker * launch.scratchBytes
                              : nullptr);
}

void CpuExecution::setCallers(void *const *callers) {
  for (const Patch &patch : patches_) {
    auto *base = static_cast<std::byte *>(callers[patch.caller]);
    patch.slot->pointer = base ? base + patch.offset : nullptr;
  }
}

void CpuExecution::runWorkers(int workers, void (*body)(int, void *),
                              void *data) const {
  if (workers == 1) {
    body(0, data);
  } else {
    team_.run(workers, body, data);
  }
}

absl::Status CpuExecution::runStep(Step &step) {
  const Arg *args = step.launch.args;
  switch (step.kind) {
  case Kind::launch:
    runWorkers(step.launch.workers, runPart, &step.launch);
    break;
  case Kind::call:
    return step.call->run(args);
  case Kind::copy:
    std::memmove(args[0].pointer, args[1].pointer, args[2].integer);
    break;
  case Kind::fill:
    std::memset(args[0].pointer, int(args[1].integer), args[2].integer);
    break;
  }
  return absl::OkStatus();
}

absl::Status CpuExecution::checkStatusWord() {
  if (memory_.status && *memory_.status != 0) {
    *memory_.status = 0;
    return indexOutOfRange();
  }
  return absl::OkStatus();
}

absl::Status CpuExecution::run(void *const *callers) {
  setCallers(callers);
  for (Step &step : steps_) {
    CommandRange range(ranges_, step.command);
    if (absl::Status status = runStep(step); !status.ok()) {
      return status;
    }
  }
  return checkStatusWord();
}

namespace {

using Clock = std::chrono::steady_clock;

double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

} // namespace

/// A launch whose workers note when they worked.
struct CpuExecution::TimedLaunch {
  Launch *launch;
  CommandTime *time;
  Clock::time_point start; // of the run
  std::atomic<uint64_t> ticks = 0;
};

void CpuExecution::runTimedPart(int worker, void *data) {
  auto &timed = *static_cast<TimedLaunch *>(data);
  WorkerTime &time = timed.time->workers[worker];
  time.beginUs = microsecondsSince(timed.start);
  uint64_t ticks = __builtin_ia32_rdtsc();
  runPart(worker, timed.launch);
  timed.ticks += __builtin_ia32_rdtsc() - ticks;
  time.endUs = microsecondsSince(timed.start);
}

absl::StatusOr<RunTrace> CpuExecution::trace(void *const *callers) {
  RunTrace trace;
  trace.clock = "steady clock";
  for (const Step &step : steps_) {
    CommandTime &time = trace.commands.emplace_back();
    time.command = step.command;
    time.workers.resize(step.launch.workers);
  }
  setCallers(callers);
  Clock::time_point start = Clock::now();
  for (size_t i = 0; i < steps_.size(); ++i) {
    Step &step = steps_[i];
    CommandTime &time = trace.commands[i];
    time.beginUs = microsecondsSince(start);
    if (step.kind == Kind::launch) {
      TimedLaunch timed{&step.launch, &time, start};
      runWorkers(step.launch.workers, runTimedPart, &timed);
      time.ticks = timed.ticks;
    } else {
      uint64_t ticks = __builtin_ia32_rdtsc();
      if (absl::Status status = runStep(step); !status.ok()) {
        return status;
      }
      time.ticks = __builtin_ia32_rdtsc() - ticks;
    }
    time.endUs = microsecondsSince(start);
  }
  trace.spanUs = microsecondsSince(start);
  // Runs whose indices were clamped take as long as others.
  absl::Status indices = exceptIndices(checkStatusWord());
  return indices.ok() ? absl::StatusOr<RunTrace>(std::move(trace)) : indices;
}

} // namespace minic::runtime
