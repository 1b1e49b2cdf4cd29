// SPDX-License-Identifier: Apache-2.0
//
// Context: one stream of calls into a Program.

#ifndef MINIC_RUNTIME_PROGRAM_CONTEXT_H
#define MINIC_RUNTIME_PROGRAM_CONTEXT_H

#include "runtime/base/ParallelFor.h"
#include "runtime/program/Program.h"

#include "absl/types/span.h"

namespace minic::runtime {

struct ContextOptions {
  /// Caller's arena of at least Program::arenaBytes(), 64-byte aligned; null:
  /// the Context allocates one.
  void *arena = nullptr;
  uint64_t arenaBytes = 0;
  /// Caller's thread team; null: libgomp's, shared with oneDNN, opened on
  /// demand when the plan uses more than one thread.
  ParallelFor parallelFor = nullptr;
  void *pool = nullptr;
};

/// Thread-compatible: one thread at a time. Any number of Contexts of one
/// Program run concurrently.
class Context {
public:
  static absl::StatusOr<std::unique_ptr<Context>>
  create(std::shared_ptr<const Program> program,
         const ContextOptions &options = {});
  ~Context();

  /// Runs the plan on caller-owned tensors in the order of the Program's
  /// inputs() and outputs(), none of which may overlap an output. Validates
  /// rank, shape, dtype, device and alignment of each; InvalidArgument names
  /// the tensor, expected and got, and nothing was written. Allocates nothing
  /// unless the plan calls a library.
  absl::Status run(absl::Span<const Tensor> inputs,
                   absl::Span<const Tensor> outputs);

  const Program &program() const;

private:
  struct Impl;
  explicit Context(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_CONTEXT_H
