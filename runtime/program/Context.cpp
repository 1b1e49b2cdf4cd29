// SPDX-License-Identifier: Apache-2.0
//
// Checks the caller's tensors and hands their pointers to the device.

#include "runtime/program/Context.h"

#include "runtime/device/NvtxRanges.h"
#include "runtime/program/Arena.h"
#include "runtime/program/ProgramImpl.h"
#include "runtime/program/Staging.h"
#include "runtime/program/TensorCheck.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <string_view>

namespace minic::runtime {

struct Context::Impl {
  std::shared_ptr<const Program> program; // outlives what follows
  DevicePlace place;
  std::vector<ExpectedTensor> inputs, outputs;
  /// An output and the input that it updates in place, by number.
  std::vector<std::pair<size_t, size_t>> inPlace;
  std::vector<void *> callers;   // inputs, then outputs
  std::vector<void *> confirmed; // by caller: the device's, as it said last
  Arena arena;
  Staging staging;
  std::unique_ptr<const CommandRanges> ranges; // null: none
  std::unique_ptr<Execution> execution;

  absl::Status accept(const char *role, const std::vector<TensorSpec> &specs,
                      const std::vector<ExpectedTensor> &expected,
                      absl::Span<const Tensor> tensors, size_t first,
                      bool &isStaged);
  absl::Status checkInPlace(bool isStaged) const;
  /// Puts all pointers into `callers`; whether some are of the host's.
  absl::StatusOr<bool> acceptAll(absl::Span<const Tensor> inputs,
                                 absl::Span<const Tensor> outputs);
  absl::Status runStaged(absl::Span<const Tensor> inputs,
                         absl::Span<const Tensor> outputs);
};

/// Of `callers`, which are those of this run.
absl::Status Context::Impl::checkInPlace(bool isStaged) const {
  for (auto [output, input] : inPlace) {
    if (callers[inputs.size() + output] != callers[input]) {
      return describeNotInPlace(program->outputs()[output],
                                program->inputs()[input], isStaged);
    }
  }
  return absl::OkStatus();
}

/// Puts the tensors' pointers into `callers` from `first` on. `isStaged`
/// becomes true where one is the host's.
absl::Status Context::Impl::accept(const char *role,
                                   const std::vector<TensorSpec> &specs,
                                   const std::vector<ExpectedTensor> &expected,
                                   absl::Span<const Tensor> tensors,
                                   size_t first, bool &isStaged) {
  if (tensors.size() != expected.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", specs.size(), " ", role, "s, got ", tensors.size()));
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor &tensor = tensors[i];
    Residence residence = residenceOf(tensor.place, place);
    if (residence == Residence::elsewhere ||
        (residence == Residence::host && !staging.exists())) {
      return describeMisplaced(role, specs[i], tensor.place, place);
    }
    if (!expected[i].matches(tensor)) {
      return describeMismatch(role, specs[i], tensor);
    }
    if (residence == Residence::host) {
      callers[first + i] = staging.device(first + i);
      isStaged = true;
      continue;
    }
    if (!expected[i].isAligned(tensor)) {
      return describeMismatch(role, specs[i], tensor);
    }
    // Asking the driver takes longer than all else: once per pointer.
    if (tensor.data != confirmed[first + i] && !expected[i].isEmpty) {
      absl::Status status = program->executable().checkPointer(tensor.data);
      if (!status.ok()) {
        return absl::Status(
            status.code(),
            absl::StrCat(role, " '", specs[i].name, "': ", status.message()));
      }
      confirmed[first + i] = tensor.data;
    }
    callers[first + i] = tensor.data;
  }
  return absl::OkStatus();
}

/// Whether the environment asks for it.
static bool isNvtxWanted() {
  const char *setting = std::getenv("MINIC_NVTX");
  return setting && std::string_view(setting) == "1";
}

Context::Context(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Context::~Context() = default;

absl::StatusOr<std::unique_ptr<Context>>
Context::create(std::shared_ptr<const Program> program,
                const ContextOptions &options) {
  auto impl = std::make_unique<Impl>();
  impl->program = program;
  impl->place = program->place();
  const DeviceMemory &memory = program->executable().memory();
  if (memory.isHost() && options.stream) {
    return absl::InvalidArgumentError(
        "stream: expected none, the program runs on a CPU");
  }
  absl::StatusOr<Arena> arena =
      Arena::create(*program, program->arenaBytes(), options);
  if (!arena.ok()) {
    return arena.status();
  }
  impl->arena = std::move(*arena);
  std::vector<TensorSpec> all = program->inputs();
  all.insert(all.end(), program->outputs().begin(), program->outputs().end());
  if (options.staging && !memory.isHost()) {
    absl::StatusOr<Staging> staging = Staging::create(memory, all);
    if (!staging.ok()) {
      return absl::Status(
          staging.status().code(),
          absl::StrCat("staging: ", staging.status().message()));
    }
    impl->staging = std::move(*staging);
  }
  for (const TensorSpec &spec : program->inputs()) {
    impl->inputs.emplace_back(spec);
  }
  for (const TensorSpec &spec : program->outputs()) {
    impl->outputs.emplace_back(spec);
  }
  for (size_t i = 0; i < program->outputs().size(); ++i) {
    if (std::optional<uint32_t> input = program->outputs()[i].inPlaceOf) {
      impl->inPlace.push_back({i, *input});
    }
  }
  impl->callers.resize(all.size());
  impl->confirmed.resize(all.size());
  ExecutionOptions execution{impl->arena.data(), options.parallelFor,
                             options.pool, options.stream, options.graph};
  execution.updatesGraph = options.updatesGraphs.value_or(true);
  if (options.nvtx || isNvtxWanted()) {
    absl::StatusOr<std::unique_ptr<const CommandRanges>> ranges =
        createNvtxRanges(*program->impl().variant);
    if (!ranges.ok()) {
      return ranges.status();
    }
    impl->ranges = std::move(*ranges);
    execution.ranges = impl->ranges.get();
  }
  absl::StatusOr<std::unique_ptr<Execution>> created =
      program->executable().createExecution(execution);
  if (!created.ok()) {
    return created.status();
  }
  impl->execution = std::move(*created);
  return std::unique_ptr<Context>(new Context(std::move(impl)));
}

absl::Status Context::Impl::runStaged(absl::Span<const Tensor> inputs,
                                      absl::Span<const Tensor> outputs) {
  // It ends by waiting, which would break the capture.
  if (execution->isCapturing()) {
    return absl::FailedPreconditionError(
        "host tensors: a run that stages them cannot be captured");
  }
  auto isHost = [this](const Tensor &tensor) {
    return residenceOf(tensor.place, place) == Residence::host;
  };
  absl::Status status;
  for (size_t i = 0; i < inputs.size() && status.ok(); ++i) {
    if (isHost(inputs[i])) {
      status = staging.copyIn(*execution, i, inputs[i]);
    }
  }
  if (status.ok()) {
    status = execution->run(callers.data());
  }
  for (size_t i = 0; i < outputs.size() && status.ok(); ++i) {
    if (isHost(outputs[i])) {
      status = staging.copyOut(*execution, inputs.size() + i, outputs[i]);
    }
  }
  // Also after a failure: what was enqueued reads the host's memory.
  status.Update(execution->synchronize());
  // Results of clamped indices are results.
  bool isDone = status.ok() || absl::IsOutOfRange(status);
  for (size_t i = 0; i < outputs.size() && isDone; ++i) {
    if (isHost(outputs[i])) {
      staging.finish(inputs.size() + i, outputs[i]);
    }
  }
  return status;
}

absl::StatusOr<bool>
Context::Impl::acceptAll(absl::Span<const Tensor> given,
                         absl::Span<const Tensor> results) {
  bool isStaged = false;
  absl::Status status =
      accept("input", program->inputs(), inputs, given, 0, isStaged);
  if (status.ok()) {
    status = accept("output", program->outputs(), outputs, results,
                    given.size(), isStaged);
  }
  if (status.ok()) {
    status = checkInPlace(isStaged);
  }
  if (!status.ok()) {
    return status;
  }
  return isStaged;
}

absl::Status Context::run(absl::Span<const Tensor> inputs,
                          absl::Span<const Tensor> outputs) {
  absl::StatusOr<bool> isStaged = impl_->acceptAll(inputs, outputs);
  if (!isStaged.ok()) {
    return isStaged.status();
  }
  return *isStaged ? impl_->runStaged(inputs, outputs)
                   : impl_->execution->run(impl_->callers.data());
}

absl::Status Context::prepare(absl::Span<const Tensor> inputs,
                              absl::Span<const Tensor> outputs) {
  absl::StatusOr<bool> isStaged = impl_->acceptAll(inputs, outputs);
  if (!isStaged.ok()) {
    return isStaged.status();
  }
  // Their room on the device never moves.
  return *isStaged ? impl_->runStaged(inputs, outputs)
                   : impl_->execution->prepare(impl_->callers.data());
}

absl::StatusOr<RunTrace> Context::trace(absl::Span<const Tensor> inputs,
                                        absl::Span<const Tensor> outputs) {
  absl::StatusOr<bool> isStaged = impl_->acceptAll(inputs, outputs);
  if (!isStaged.ok()) {
    return isStaged.status();
  }
  if (*isStaged) {
    return absl::InvalidArgumentError(
        "trace: expected tensors in the GPU's memory, got the host's");
  }
  return impl_->execution->trace(impl_->callers.data());
}

absl::Status Context::setStream(void *stream) {
  absl::Status status = impl_->execution->setStream(stream);
  if (status.ok()) {
    impl_->arena.setStream(stream);
  }
  return status;
}

absl::Status Context::synchronize() { return impl_->execution->synchronize(); }

GraphCounters Context::graphCounters() const {
  return impl_->execution->graphCounters();
}

std::string Context::graphRefusal() const {
  return impl_->execution->graphRefusal();
}

const Program &Context::program() const { return *impl_->program; }

Execution &Context::execution() { return *impl_->execution; }

} // namespace minic::runtime
