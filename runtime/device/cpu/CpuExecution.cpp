// SPDX-License-Identifier: Apache-2.0
//
// Builds the steps once; runs them.

#include "runtime/device/cpu/CpuExecution.h"

#include <algorithm>
#include <cstring>

namespace minic::runtime {

absl::StatusOr<std::unique_ptr<CpuExecution>>
CpuExecution::create(const std::vector<LoadedCommand> &commands,
                     const PlanMemory &memory, const ThreadTeam &team) {
  std::unique_ptr<CpuExecution> execution(new CpuExecution(memory, team));
  execution->steps_.reserve(commands.size());
  for (const LoadedCommand &command : commands) {
    if (absl::Status status = execution->add(command); !status.ok()) {
      return status;
    }
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
      steps_.push_back(
          {Kind::copy, {nullptr, args, 0, nullptr, 0, 0}, nullptr});
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
      steps_.push_back(
          {Kind::fill, {nullptr, args, 0, nullptr, 0, 0}, nullptr});
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
  steps_.push_back(
      {Kind::launch,
       {command.entry, args, tiles, scratch, launch.scratch_bytes(), workers},
       nullptr});
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
  steps_.push_back(
      {Kind::call, {nullptr, args, 0, nullptr, 0, 0}, created->get()});
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

absl::Status CpuExecution::run(void *const *callers) {
  for (const Patch &patch : patches_) {
    auto *base = static_cast<std::byte *>(callers[patch.caller]);
    patch.slot->pointer = base ? base + patch.offset : nullptr;
  }
  for (Step &step : steps_) {
    const Arg *args = step.launch.args;
    switch (step.kind) {
    case Kind::launch:
      if (step.launch.workers == 1) {
        runPart(0, &step.launch);
      } else {
        team_.run(step.launch.workers, runPart, &step.launch);
      }
      break;
    case Kind::call:
      if (absl::Status status = step.call->run(args); !status.ok()) {
        return status;
      }
      break;
    case Kind::copy:
      std::memmove(args[0].pointer, args[1].pointer, args[2].integer);
      break;
    case Kind::fill:
      std::memset(args[0].pointer, int(args[1].integer), args[2].integer);
      break;
    }
  }
  if (memory_.status && *memory_.status != 0) {
    *memory_.status = 0;
    return indexOutOfRange();
  }
  return absl::OkStatus();
}

} // namespace minic::runtime
