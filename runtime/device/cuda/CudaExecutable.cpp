// SPDX-License-Identifier: Apache-2.0
//
// Loads a variant: its constants, its kernels, its library calls, then whatever
// `prepare` does.

#include "runtime/device/cuda/CudaExecutable.h"

#include "runtime/device/cuda/CudaExecution.h"
#include "runtime/device/cuda/CudaPointer.h"
#include "runtime/device/cuda/PlanAddresses.h"
#include "runtime/device/cuda/RecordedGraph.h"
#include "runtime/format/CallReader.h"
#include "runtime/format/CallTable.h"

namespace minic::runtime {

// As DeviceMemory::allocate gives, so that vector loads and TMA may be used.
static constexpr uint64_t kConstantAlignment = 256;

CudaExecutable::CudaExecutable(const ExecutableSource &source,
                               std::shared_ptr<const CudaContext> context)
    : variant(source.variant), inputCount(source.function.inputs()->size()),
      context(std::move(context)), modules(this->context, source.artifact),
      constants(source.constants.size()) {
  for (const auto *specs :
       {source.function.inputs(), source.function.outputs()}) {
    for (const format::TensorSpec *spec : *specs) {
      uint64_t bytes = elementBytes(spec->dtype());
      for (int64_t dim : *spec->dims()) {
        bytes *= dim;
      }
      callerBytes.push_back(bytes);
    }
  }
}

CudaExecutable::~CudaExecutable() {
  CudaScope scope(*context);
  run.clear(); // library calls free what they hold of the device
}

void CudaExecutable::shareConstants(
    absl::Span<const Executable *const> siblings,
    const std::vector<bool> &used) {
  for (const Executable *sibling : siblings) {
    auto *other = dynamic_cast<const CudaExecutable *>(sibling);
    if (!other || !(other->place() == place())) {
      continue;
    }
    bool isShared = false;
    for (size_t i = 0; i < constants.size(); ++i) {
      if (used[i] && !constants[i] && other->constants[i]) {
        constants[i] = other->constants[i];
        isShared = true;
      }
    }
    if (isShared) {
      constantBlocks.insert(constantBlocks.end(), other->constantBlocks.begin(),
                            other->constantBlocks.end());
    }
  }
}

void CudaExecutable::shareOrCreateMemory(
    absl::Span<const Executable *const> siblings) {
  for (const Executable *sibling : siblings) {
    auto *other = dynamic_cast<const CudaExecutable *>(sibling);
    if (other && other->place() == place()) {
      memory_ = other->memory_;
      modules.share(other->modules);
      return;
    }
  }
  memory_ = std::make_shared<CudaMemory>(context);
}

std::byte *CudaExecutable::ownConstants() const {
  return reinterpret_cast<std::byte *>(constantBlocks.back()->get());
}

absl::Status CudaExecutable::uploadConstants(const ExecutableSource &source) {
  const auto &table = *source.artifact.metadata().constants();
  std::vector<bool> used(constants.size());
  auto note = [&](const format::Address &address) {
    if (address.base() == format::Base::constant) {
      used[address.index()] = true;
    }
  };
  for (const auto *commands : {variant.prepare(), variant.run()}) {
    if (commands) {
      for (const format::Command *command : *commands) {
        forEachAddress(*command, note);
      }
    }
  }
  shareConstants(source.siblings, used);
  std::vector<uint64_t> offsets(constants.size());
  for (uint32_t i = 0; i < constants.size(); ++i) {
    usedConstantBytes_ += used[i] ? table.Get(i)->bytes() : 0;
    if (used[i] && !constants[i]) {
      offsets[i] = constantBytes_;
      constantBytes_ += (table.Get(i)->bytes() + kConstantAlignment - 1) /
                        kConstantAlignment * kConstantAlignment;
    }
  }
  absl::StatusOr<CudaBuffer> block = memory_->allocateBuffer(constantBytes_);
  if (!block.ok()) {
    return block.status();
  }
  constantBlocks.push_back(std::make_shared<CudaBuffer>(std::move(*block)));
  auto *base = ownConstants();
  for (uint32_t i = 0; i < constants.size(); ++i) {
    if (!used[i] || constants[i] || table.Get(i)->bytes() == 0) {
      continue;
    }
    constants[i] = base + offsets[i];
    if (absl::Status status = memory_->copyIn(constants[i], source.constants[i],
                                              table.Get(i)->bytes());
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<LoadedCommand>> CudaExecutable::loadCommands(
    const ExecutableSource &source,
    const flatbuffers::Vector<flatbuffers::Offset<format::Command>> &commands) {
  std::vector<LoadedCommand> loaded;
  for (const format::Command *command : commands) {
    LoadedCommand &one = loaded.emplace_back();
    one.command = command;
    if (const auto *launch = command->operation_as_Launch()) {
      absl::StatusOr<KernelLaunch> made =
          modules.makeLaunch(*launch, source.isPart || commands.size() > 1);
      if (!made.ok()) {
        return made.status();
      }
      one.launch = *made;
    } else if (const auto *call = command->operation_as_Call()) {
      LibraryCallOptions options{
          *context,
          call->library_version() ? call->library_version()->str() : "",
          source.strictLibraries,
          context->deviceIndex(),
          constants,
          &source.function,
          source.spares,
          source.onlyListsAlgorithms};
      absl::StatusOr<std::unique_ptr<LibraryCall>> made =
          createLibraryCall(*call, options);
      if (!made.ok()) {
        return made.status();
      }
      one.call = std::move(*made);
    }
  }
  return loaded;
}

PlanBases CudaExecutable::bases() const {
  PlanBases bases;
  bases.constants = constants.data();
  bases.persistent = reinterpret_cast<std::byte *>(persistent.get());
  bases.inputCount = inputCount;
  return bases;
}

absl::Status CudaExecutable::prepare(const ExecutableSource &source) {
  absl::StatusOr<std::vector<LoadedCommand>> commands =
      loadCommands(source, *variant.prepare());
  if (!commands.ok()) {
    return commands.status();
  }
  absl::StatusOr<std::unique_ptr<CommandList>> list =
      CommandList::create(*context, *commands, bases(), 0,
                          /*sharesCalls=*/true);
  if (!list.ok()) {
    return list.status();
  }
  return memory_->runAndWait("preparing the program", [&](CUstream stream) {
    return (*list)->enqueueAll(stream);
  });
}

absl::StatusOr<std::unique_ptr<Executable>>
CudaExecutable::load(const ExecutableSource &source) {
  absl::StatusOr<std::shared_ptr<const CudaContext>> context =
      CudaContext::retain(source.deviceIndex);
  if (!context.ok()) {
    return context.status();
  }
  CudaScope scope(**context);
  RelaxedCaptureScope relaxed((*context)->driver());
  if (scope.result() != CUDA_SUCCESS) {
    return (*context)->driver().status(scope.result(), "the CUDA context");
  }
  std::unique_ptr<CudaExecutable> executable(
      new CudaExecutable(source, *context));
  executable->shareOrCreateMemory(source.siblings);
  std::shared_ptr<const void> hold = executable->memory_->hold();
  absl::StatusOr<CudaBuffer> persistent =
      executable->memory_->allocateBuffer(source.variant.persistent_bytes());
  if (!persistent.ok()) {
    return persistent.status();
  }
  executable->persistent = std::move(*persistent);
  if (absl::Status status = executable->uploadConstants(source); !status.ok()) {
    return status;
  }
  if (source.variant.prepare() && source.variant.prepare()->size() > 0) {
    if (absl::Status status = executable->prepare(source); !status.ok()) {
      return status;
    }
  }
  absl::StatusOr<std::vector<LoadedCommand>> run =
      executable->loadCommands(source, *source.variant.run());
  if (!run.ok()) {
    return run.status();
  }
  executable->run = std::move(*run);
  for (const LoadedCommand &command : executable->run) {
    if (!command.call) {
      continue;
    }
    executable->callsLibrary_ = true;
    forEachAddress(*command.command, [&](const format::Address &address) {
      executable->libraryUsesCallers_ |=
          address.base() == format::Base::input ||
          address.base() == format::Base::output;
    });
  }
  return executable;
}

absl::StatusOr<std::unique_ptr<Execution>>
CudaExecutable::createExecution(const ExecutionOptions &options) const {
  CudaExecution::Parts parts{
      context,        run, bases(), {}, callerBytes, variant.zeroed_bytes(),
      variant.graph()};
  parts.ownBytes = usedConstantBytes_ + variant.arena_bytes();
  if (variant.status()) {
    parts.status = *variant.status();
  }
  parts.bases.arena = options.arena;
  if (options.constants) {
    auto *own = ownConstants();
    auto *copy =
        static_cast<std::byte *>(const_cast<void *>(options.constants));
    for (void *constant : constants) {
      auto *place = static_cast<std::byte *>(constant);
      bool isOwn = place && own <= place && place < own + constantBytes_;
      parts.constants.push_back(isOwn ? copy + (place - own) : place);
    }
  }
  return CudaExecution::create(std::move(parts), options);
}

absl::Status CudaExecutable::checkPointer(const void *pointer) const {
  return checkDevicePointer(*context, pointer);
}

absl::StatusOr<std::unique_ptr<RecordedRuns>> CudaExecutable::record(
    const std::function<absl::Status(void *stream)> &body) const {
  return RecordedGraph::record(context, body);
}

/// Whether the library may still choose how to do the call.
static bool isOpen(const format::Call &call) {
  const format::CallRule *rule = format::findCall(
      format::toView(*call.library()), format::toView(*call.op()));
  return rule->algorithm != format::AlgorithmRule::none &&
         format::CallReader(call).algorithm().empty();
}

absl::StatusOr<std::vector<LibraryAlgorithm>>
CudaExecutable::algorithms(int most, uint64_t scratchLimit) const {
  const LibraryCall *only = nullptr;
  for (const LoadedCommand &command : run) {
    if (!command.call || !isOpen(*command.command->operation_as_Call())) {
      continue;
    }
    if (only) {
      return absl::UnimplementedError(
          "the plan has more than one library call whose algorithm is open");
    }
    only = command.call.get();
  }
  if (!only) {
    return Executable::algorithms(most, scratchLimit);
  }
  CudaScope scope(*context);
  RelaxedCaptureScope relaxed(context->driver());
  return only->algorithms(most, scratchLimit);
}

absl::Status CudaExecutable::copyConstants(void *destination,
                                           int64_t copies) const {
  return memory_->repeatWithin(destination, ownConstants(), constantBytes_,
                               copies);
}

} // namespace minic::runtime
