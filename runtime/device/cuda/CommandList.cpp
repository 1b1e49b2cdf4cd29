// SPDX-License-Identifier: Apache-2.0
//
// Lays the parameters out once; a run patches and enqueues.

#include "runtime/device/cuda/CommandList.h"

#include "runtime/device/cuda/CudaMemory.h"
#include "runtime/device/cuda/PlanAddresses.h"
#include "runtime/format/CallReader.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <tuple>

namespace minic::runtime {

absl::StatusOr<std::unique_ptr<CommandList>> CommandList::create(
    const CudaContext &context, const std::vector<LoadedCommand> &commands,
    const PlanBases &bases, uint32_t callerCount, bool sharesCalls) {
  std::unique_ptr<CommandList> list(
      new CommandList(context, bases, callerCount));
  list->bases_.callers = list->callers_.data();
  for (const LoadedCommand &command : commands) {
    if (absl::Status status = list->add(command, sharesCalls); !status.ok()) {
      return status;
    }
  }
  std::sort(list->uses_.begin(), list->uses_.end(),
            [](const CallerUse &a, const CallerUse &b) {
              return std::tie(a.caller, a.step, a.slot) <
                     std::tie(b.caller, b.step, b.slot);
            });
  return list;
}

static CommandList::Step makeStep(CommandList::Step::Kind kind,
                                  const LoadedCommand &command) {
  CommandList::Step step;
  step.kind = kind;
  step.command = command.command;
  return step;
}

CommandList::Slot *CommandList::newSlots(size_t count) {
  slots_.push_back(std::make_unique<Slot[]>(count));
  return slots_.back().get();
}

bool CommandList::noteUse(const format::Address &address, Slot *slot,
                          TensorMap *map) {
  uint32_t caller = address.index();
  if (address.base() == format::Base::output) {
    caller += bases_.inputCount;
  } else if (address.base() != format::Base::input) {
    return false;
  }
  uses_.push_back(
      {caller, uint32_t(steps_.size()), address.offset(), slot, map});
  return true;
}

absl::StatusOr<TensorMap *>
CommandList::addMap(const format::TensorMapParam &param,
                    const format::Address &address, Slot &slot) {
  TensorMap *map = maps_.emplace_back(std::make_unique<TensorMap>(param)).get();
  if (!noteUse(address, &slot, map)) {
    absl::Status status = map->setAddress(context_.driver(), slot.pointer);
    if (!status.ok()) {
      return status;
    }
  }
  return map;
}

void CommandList::setAddress(Slot &slot, const format::Address &address) {
  slot.pointer = bases_.resolve(address);
  noteUse(address, &slot);
}

absl::Status CommandList::addLaunch(const LoadedCommand &command,
                                    const format::Launch &launch) {
  const auto &params = *launch.params();
  Slot *slots = newSlots(params.size());
  params_.push_back(std::make_unique<void *[]>(params.size()));
  void **pointers = params_.back().get();
  for (uint32_t i = 0; i < params.size(); ++i) {
    pointers[i] = &slots[i];
    if (const auto *address = params[i]->param_as_AddressParam()) {
      setAddress(slots[i], *address->address());
    } else if (const auto *map = params[i]->param_as_TensorMapParam()) {
      absl::StatusOr<TensorMap *> added = addMap(
          *map, *params[map->param()]->param_as_AddressParam()->address(),
          slots[map->param()]);
      if (!added.ok()) {
        return added.status();
      }
      pointers[i] = (*added)->value();
    } else {
      slots[i].integer = params[i]->param_as_ScalarParam()->value();
    }
  }
  Step step = makeStep(Step::Kind::launch, command);
  step.launch = &command.launch;
  step.params = pointers;
  steps_.push_back(std::move(step));
  return absl::OkStatus();
}

absl::Status CommandList::add(const LoadedCommand &command, bool sharesCalls) {
  if (const auto *launch = command.command->operation_as_Launch()) {
    return addLaunch(command, *launch);
  }
  if (command.call) {
    Step step = makeStep(Step::Kind::call, command);
    step.call = command.call.get();
    if (!sharesCalls) {
      absl::StatusOr<std::unique_ptr<LibraryCall>> call = command.call->clone();
      if (!call.ok()) {
        return call.status();
      }
      step.call = ownCalls_.emplace_back(std::move(*call)).get();
    }
    if (captureRefusal_.empty() && !step.call->canBeCaptured()) {
      captureRefusal_ =
          absl::StrCat(format::callName(*step.command->operation_as_Call()),
                       " cannot be captured");
    }
    forEachAddress(*command.command, [&](const format::Address &address) {
      noteUse(address, nullptr);
    });
    steps_.push_back(std::move(step));
  } else if (const auto *copy = command.command->operation_as_Copy()) {
    if (copy->bytes() == 0) {
      return absl::OkStatus();
    }
    Step step = makeStep(Step::Kind::copy, command);
    step.operands = newSlots(2);
    step.bytes = copy->bytes();
    setAddress(step.operands[0], *copy->destination());
    setAddress(step.operands[1], *copy->source());
    steps_.push_back(std::move(step));
  } else if (const auto *fill = command.command->operation_as_Fill()) {
    if (fill->bytes() == 0) {
      return absl::OkStatus();
    }
    Step step = makeStep(Step::Kind::fill, command);
    step.operands = newSlots(1);
    step.bytes = fill->bytes();
    step.value = fill->value();
    setAddress(step.operands[0], *fill->destination());
    steps_.push_back(std::move(step));
  }
  return absl::OkStatus();
}

absl::Status CommandList::setCallers(void *const *callers) {
  auto use = uses_.begin();
  for (uint32_t i = 0; i < callers_.size(); ++i) {
    if (callers_[i] == callers[i]) {
      continue;
    }
    callers_[i] = callers[i];
    while (use != uses_.end() && use->caller < i) {
      ++use;
    }
    for (; use != uses_.end() && use->caller == i; ++use) {
      if (!use->slot) {
        continue;
      }
      auto *base = static_cast<std::byte *>(callers[i]);
      use->slot->pointer = base ? base + use->offset : nullptr;
      if (!use->map) {
        continue;
      }
      if (absl::Status status =
              use->map->setAddress(context_.driver(), use->slot->pointer);
          !status.ok()) {
        callers_[i] = nullptr;
        return status;
      }
    }
  }
  return absl::OkStatus();
}

/// "kernel 'mlp_0' (label)" for errors.
static std::string describe(const CommandList::Step &step) {
  std::string text;
  switch (step.kind) {
  case CommandList::Step::Kind::launch:
    text = absl::StrCat(
        "launch '", step.command->operation_as_Launch()->entry()->str(), "'");
    break;
  case CommandList::Step::Kind::call:
    text = format::callName(*step.command->operation_as_Call());
    break;
  case CommandList::Step::Kind::copy:
    text = "copy";
    break;
  case CommandList::Step::Kind::fill:
    text = "fill";
    break;
  }
  if (step.command->label()) {
    absl::StrAppend(&text, " (", step.command->label()->str(), ")");
  }
  return text;
}

absl::Status CommandList::enqueue(const Step &step, CUstream stream) const {
  const CudaDriver &driver = context_.driver();
  CUresult result = CUDA_SUCCESS;
  switch (step.kind) {
  case Step::Kind::launch: {
    const KernelLaunch &launch = *step.launch;
    if (launch.attributeCount == 0) {
      result = driver.cuLaunchKernel(
          launch.function, launch.grid[0], launch.grid[1], launch.grid[2],
          launch.block[0], launch.block[1], launch.block[2], launch.sharedBytes,
          stream, step.params, nullptr);
      break;
    }
    CUlaunchConfig config{};
    config.gridDimX = launch.grid[0];
    config.gridDimY = launch.grid[1];
    config.gridDimZ = launch.grid[2];
    config.blockDimX = launch.block[0];
    config.blockDimY = launch.block[1];
    config.blockDimZ = launch.block[2];
    config.sharedMemBytes = launch.sharedBytes;
    config.hStream = stream;
    config.attrs = const_cast<CUlaunchAttribute *>(launch.attributes);
    config.numAttrs = launch.attributeCount;
    result =
        driver.cuLaunchKernelEx(&config, launch.function, step.params, nullptr);
    break;
  }
  case Step::Kind::call:
    return step.call->enqueue(stream, bases_);
  case Step::Kind::copy:
    result = driver.cuMemcpyAsync(devicePointer(step.operands[0].pointer),
                                  devicePointer(step.operands[1].pointer),
                                  step.bytes, stream);
    break;
  case Step::Kind::fill:
    result = driver.cuMemsetD8Async(devicePointer(step.operands[0].pointer),
                                    step.value, step.bytes, stream);
    break;
  }
  if (result != CUDA_SUCCESS) {
    return driver.status(result, describe(step));
  }
  return absl::OkStatus();
}

absl::Status CommandList::enqueueAll(CUstream stream) const {
  for (const Step &step : steps_) {
    if (absl::Status status = enqueue(step, stream); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

} // namespace minic::runtime
