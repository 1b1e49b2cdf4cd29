// SPDX-License-Identifier: Apache-2.0
//
// Context: one stream of calls into a Program.

#ifndef MINIC_RUNTIME_PROGRAM_CONTEXT_H
#define MINIC_RUNTIME_PROGRAM_CONTEXT_H

#include "runtime/base/ParallelFor.h"
#include "runtime/device/Device.h"
#include "runtime/program/Program.h"

#include "absl/types/span.h"

namespace minic::runtime {

struct ContextOptions {
  /// Caller's arena of at least Program::arenaBytes() in memory of the
  /// program's place, 64-byte aligned (GPU: 256); null: the Context allocates
  /// one.
  void *arena = nullptr;
  uint64_t arenaBytes = 0;
  /// CPU: caller's thread team; null: the process's WorkerPool, or, where the
  /// plan calls oneDNN, libgomp's threads, which oneDNN uses too. Either is
  /// started only where the plan uses more than one thread.
  ParallelFor parallelFor = nullptr;
  void *pool = nullptr;
  /// GPU: the caller's stream (CUstream or cudaStream_t); null: the legacy
  /// default stream. It outlives the Context or is replaced before.
  void *stream = nullptr;
  /// GPU: an own arena comes from the device's stream-ordered pool.
  bool pooledArena = false;
  GraphMode graph = GraphMode::Artifact;
  /// GPU: whether a run captures its graph again when a library call has got
  /// the same new pointers often enough; none: where sizes do not vary.
  std::optional<bool> updatesGraphs = {};
  /// GPU: host tensors are accepted. Room for all tensors is allocated on the
  /// device and pinned on the host; a run that has a host tensor waits for its
  /// end.
  bool staging = false;
  /// Each command is a range of NVTX, named by its ops; on a GPU commands are
  /// launched one by one then. The environment's MINIC_NVTX=1 does the same.
  bool nvtx = false;
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
  /// rank, shape, dtype, place and alignment of each; InvalidArgument names
  /// the tensor, expected and got, and nothing was written. Allocates nothing
  /// unless the plan calls a library.
  ///
  /// On a GPU the run is enqueued on the stream and not waited for: tensors and
  /// stream stay valid until it is done. Where the stream is being captured,
  /// the run becomes part of that graph.
  absl::Status run(absl::Span<const Tensor> inputs,
                   absl::Span<const Tensor> outputs);

  /// Runs, waits, and has the graph, if runs replay one, for these tensors from
  /// here on: later runs with them copy nothing and capture nothing.
  absl::Status prepare(absl::Span<const Tensor> inputs,
                       absl::Span<const Tensor> outputs);

  /// Runs on tensors of the program's place, waits, and says when each command
  /// of the plan worked: Execution::trace.
  absl::StatusOr<RunTrace> trace(absl::Span<const Tensor> inputs,
                                 absl::Span<const Tensor> outputs);

  /// GPU: later runs go to `stream`. The caller orders them behind earlier
  /// ones, for they share the arena. InvalidArgument on a CPU.
  absl::Status setStream(void *stream);
  /// Waits for all runs; where one failed, says so.
  absl::Status synchronize();

  GraphCounters graphCounters() const;
  /// Why runs replay no graph although one is asked for; else empty.
  std::string graphRefusal() const;

  const Program &program() const;
  /// What runs are enqueued on: for copies before and behind them.
  Execution &execution();

private:
  struct Impl;
  explicit Context(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_CONTEXT_H
