// SPDX-License-Identifier: Apache-2.0
//
// A Program as the subject of verification.

#include "runtime/measure/Verify.h"
#include "runtime/program/Context.h"

namespace minic::runtime {

VerifySubject subjectOf(std::shared_ptr<const Program> program) {
  VerifySubject subject;
  subject.inputs = program->inputs();
  subject.outputs = program->outputs();
  subject.arenaBytes = program->arenaBytes();
  uint64_t arenaBytes = subject.arenaBytes;
  subject.prepare =
      [program, arenaBytes](void *arena) -> absl::StatusOr<VerifySubject::Run> {
    ContextOptions options;
    options.arena = arenaBytes == 0 ? nullptr : arena;
    options.arenaBytes = arenaBytes;
    absl::StatusOr<std::unique_ptr<Context>> created =
        Context::create(program, options);
    if (!created.ok()) {
      return created.status();
    }
    return
        [context = std::shared_ptr<Context>(std::move(*created))](
            absl::Span<const Tensor> inputs, absl::Span<const Tensor> outputs) {
          return context->run(inputs, outputs);
        };
  };
  return subject;
}

} // namespace minic::runtime
