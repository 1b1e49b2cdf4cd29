// SPDX-License-Identifier: Apache-2.0
//
// A Program as the subject of verification.

#include "runtime/base/StatusWord.h"
#include "runtime/measure/Verify.h"
#include "runtime/program/Context.h"
#include "runtime/program/ProgramImpl.h"

namespace minic::runtime {
namespace {

/// What runs take that are not the host's: pointers of the device, enqueued,
/// then waited for.
absl::StatusOr<VerifySubject::Run>
prepareDeviceRun(std::shared_ptr<const Program> program, void *arena) {
  ExecutionOptions options{static_cast<std::byte *>(arena)};
  options.graph = GraphMode::Off;
  options.sharesCalls = true;
  absl::StatusOr<std::unique_ptr<Execution>> created =
      program->impl().executable->createExecution(options);
  if (!created.ok()) {
    return created.status();
  }
  std::shared_ptr<Execution> execution = *std::move(created);
  return [program, execution](absl::Span<const Tensor> inputs,
                              absl::Span<const Tensor> outputs) {
    std::vector<void *> callers;
    for (absl::Span<const Tensor> tensors : {inputs, outputs}) {
      for (const Tensor &tensor : tensors) {
        callers.push_back(tensor.data);
      }
    }
    absl::Status status = execution->run(callers.data());
    status.Update(exceptIndices(execution->synchronize()));
    return status;
  };
}

absl::StatusOr<VerifySubject::Run>
prepareHostRun(std::shared_ptr<const Program> program, void *arena) {
  ContextOptions options;
  options.arenaBytes = program->arenaBytes();
  options.arena = options.arenaBytes == 0 ? nullptr : arena;
  absl::StatusOr<std::unique_ptr<Context>> created =
      Context::create(program, options);
  if (!created.ok()) {
    return created.status();
  }
  return
      [context = std::shared_ptr<Context>(std::move(*created))](
          absl::Span<const Tensor> inputs, absl::Span<const Tensor> outputs) {
        return exceptIndices(context->run(inputs, outputs));
      };
}

} // namespace

VerifySubject subjectOf(std::shared_ptr<const Program> program) {
  VerifySubject subject;
  subject.inputs = program->inputs();
  subject.outputs = program->outputs();
  subject.arenaBytes = program->arenaBytes();
  const Program::Impl &impl = program->impl();
  subject.memory = &impl.executable->memory();
  subject.zeroedBytes = impl.variant->zeroed_bytes();
  if (subject.memory->isHost()) {
    subject.prepare = [program](void *arena) {
      return prepareHostRun(program, arena);
    };
  } else {
    subject.prepare = [program](void *arena) {
      return prepareDeviceRun(program, arena);
    };
  }
  return subject;
}

} // namespace minic::runtime
