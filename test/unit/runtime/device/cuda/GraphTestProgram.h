// SPDX-License-Identifier: Apache-2.0
//
// GraphTestProgram: a plan with a library call among its commands, captured and
// run command by command, on whatever driver the process has.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_GRAPHTESTPROGRAM_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_GRAPHTESTPROGRAM_H

#include "runtime/device/cuda/CudaExecution.h"
#include "runtime/device/cuda/CudaMemory.h"
#include "test/unit/runtime/device/cuda/CudaTestProgram.h"

namespace minic::testing {

/// What the library call of the program does beside its work.
enum class LibraryBehaviour { works, cannotBeCaptured, waitsInside };

/// Inputs a, b; outputs c, d, e; all of `count` floats:
///   hidden = 2 * a + 1                         a kernel of minic's
///   d = hidden + b                             a library call
///   c = a + d                                  a kernel of minic's
///   e[0:8] = b[8:16]; e[8:16] = bytes of 0x3f  a copy and a fill
class GraphTestProgram {
public:
  static constexpr int64_t count = 16;
  using Floats = std::vector<float>;

  explicit GraphTestProgram(
      LibraryBehaviour behaviour = LibraryBehaviour::works);
  ~GraphTestProgram();

  const absl::Status &status() const { return status_; }
  /// The same commands with clones of the library call, or with the call.
  absl::StatusOr<std::unique_ptr<runtime::CommandList>>
  createCommands(bool sharesCalls);
  /// How often the library call was cloned.
  int clones() const { return clones_; }
  runtime::CommandList &commands() { return *commands_; }
  std::shared_ptr<const runtime::CudaContext> context() { return context_; }
  CUstream stream() const { return stream_.get(); }
  /// Of the same commands.
  absl::StatusOr<std::unique_ptr<runtime::CudaExecution>>
  createExecution(runtime::GraphMode mode, double runUs = 0);

  /// As if every tensor took `callerBytes`.
  absl::StatusOr<std::unique_ptr<runtime::CapturedGraph>>
  createGraph(uint64_t callerBytes = count * sizeof(float),
              const runtime::PointerPolicy &policy = {});
  /// Replays, or runs command by command where the graph does not.
  absl::Status run(runtime::CapturedGraph &graph, void *const *callers);
  absl::Status runPlainly(void *const *callers);

  /// A tensor of `value`, value + 1, ...
  void *allocate(float value);
  Floats read(void *tensor);
  void write(void *tensor, const Floats &values);
  /// Waits, then compares the outputs of a run with what they must be.
  void expectOutputs(void *const *callers);

private:
  absl::Status load(LibraryBehaviour behaviour);

  absl::StatusOr<format::ArtifactReader> artifact_;
  std::shared_ptr<const runtime::CudaContext> context_;
  std::unique_ptr<runtime::CudaMemory> memory_;
  std::unique_ptr<runtime::KernelModules> modules_;
  std::vector<runtime::LoadedCommand> loaded_;
  runtime::PlanBases bases_; // but for the callers'
  const std::vector<uint64_t> callerBytes_ =
      std::vector<uint64_t>(5, count * sizeof(float));
  std::unique_ptr<runtime::CommandList> commands_;
  runtime::CudaStream stream_;
  std::vector<void *> tensors_;
  int clones_ = 0;
  absl::Status status_;
};

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_GRAPHTESTPROGRAM_H
