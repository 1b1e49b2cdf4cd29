// SPDX-License-Identifier: Apache-2.0
//
// Checks the caller's tensors and hands their pointers to the device.

#include "runtime/program/Context.h"

#include "runtime/program/ProgramImpl.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>

namespace minic::runtime {

namespace {

/// What run compares with, flat: no name, no vector, nothing to chase.
struct Expected {
  const int64_t *dims;
  size_t rank;
  DType dtype;
  bool isEmpty;
  uintptr_t misaligned; // bits that must be zero
};

std::vector<Expected> expectedOf(const std::vector<TensorSpec> &specs) {
  std::vector<Expected> expected;
  for (const TensorSpec &spec : specs) {
    expected.push_back({spec.dims.data(), spec.dims.size(), spec.dtype,
                        spec.elements() == 0, spec.alignment - uintptr_t(1)});
  }
  return expected;
}

bool matches(const Tensor &tensor, const Expected &expected) {
  return tensor.dtype == expected.dtype &&
         tensor.dims.size() == expected.rank &&
         std::equal(expected.dims, expected.dims + expected.rank,
                    tensor.dims.data()) &&
         (expected.isEmpty ||
          (tensor.data != nullptr && (reinterpret_cast<uintptr_t>(tensor.data) &
                                      expected.misaligned) == 0));
}

/// Why `matches` said no.
absl::Status mismatch(const char *role, const TensorSpec &spec,
                      const Tensor &tensor) {
  std::string what = absl::StrCat(role, " '", spec.name, "': ");
  if (tensor.dtype != spec.dtype) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, "expected dtype ", toString(spec.dtype), ", got ",
                     toString(tensor.dtype)));
  }
  if (tensor.dims != absl::MakeConstSpan(spec.dims)) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, "expected shape [", absl::StrJoin(spec.dims, ", "),
                     "], got [", absl::StrJoin(tensor.dims, ", "), "]"));
  }
  if (!tensor.data) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, "expected data, got a null pointer"));
  }
  uintptr_t address = reinterpret_cast<uintptr_t>(tensor.data);
  return absl::InvalidArgumentError(
      absl::StrCat(what, "expected data aligned to ", spec.alignment,
                   " bytes, got ", address & -address, " bytes"));
}

} // namespace

struct Context::Impl {
  std::shared_ptr<const Program> program;
  std::vector<Expected> inputs, outputs;
  std::vector<void *> callers; // inputs, then outputs
  AlignedBuffer arena;
  std::unique_ptr<Execution> execution;

  absl::Status accept(const char *role, const std::vector<TensorSpec> &specs,
                      const std::vector<Expected> &expected,
                      absl::Span<const Tensor> tensors, void **callers);
};

absl::Status Context::Impl::accept(const char *role,
                                   const std::vector<TensorSpec> &specs,
                                   const std::vector<Expected> &expected,
                                   absl::Span<const Tensor> tensors,
                                   void **callers) {
  if (tensors.size() != expected.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", specs.size(), " ", role, "s, got ", tensors.size()));
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!matches(tensors[i], expected[i])) {
      return mismatch(role, specs[i], tensors[i]);
    }
    callers[i] = tensors[i].data;
  }
  return absl::OkStatus();
}

Context::Context(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Context::~Context() = default;

absl::StatusOr<std::unique_ptr<Context>>
Context::create(std::shared_ptr<const Program> program,
                const ContextOptions &options) {
  auto impl = std::make_unique<Impl>();
  uint64_t bytes = program->arenaBytes();
  auto *arena = static_cast<std::byte *>(options.arena);
  if (arena) {
    if (reinterpret_cast<uintptr_t>(arena) % 64 != 0) {
      return absl::InvalidArgumentError(
          "arena: expected memory aligned to 64 bytes");
    }
    if (options.arenaBytes < bytes) {
      return absl::InvalidArgumentError(absl::StrCat(
          "arena: expected ", bytes, " bytes, got ", options.arenaBytes));
    }
  } else {
    absl::StatusOr<AlignedBuffer> own = AlignedBuffer::create(bytes);
    if (!own.ok()) {
      return own.status();
    }
    impl->arena = std::move(*own);
    arena = impl->arena.data();
  }
  impl->inputs = expectedOf(program->inputs());
  impl->outputs = expectedOf(program->outputs());
  impl->callers.resize(impl->inputs.size() + impl->outputs.size());
  absl::StatusOr<std::unique_ptr<Execution>> execution =
      program->impl().executable->createExecution(
          {arena, options.parallelFor, options.pool});
  if (!execution.ok()) {
    return execution.status();
  }
  impl->execution = std::move(*execution);
  impl->program = std::move(program);
  return std::unique_ptr<Context>(new Context(std::move(impl)));
}

absl::Status Context::run(absl::Span<const Tensor> inputs,
                          absl::Span<const Tensor> outputs) {
  Impl &impl = *impl_;
  void **callers = impl.callers.data();
  absl::Status status = impl.accept("input", impl.program->inputs(),
                                    impl.inputs, inputs, callers);
  if (status.ok()) {
    status = impl.accept("output", impl.program->outputs(), impl.outputs,
                         outputs, callers + impl.inputs.size());
  }
  if (!status.ok()) {
    return status;
  }
  return impl.execution->run(callers);
}

const Program &Context::program() const { return *impl_->program; }

} // namespace minic::runtime
