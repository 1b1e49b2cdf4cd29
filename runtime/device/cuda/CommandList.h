// SPDX-License-Identifier: Apache-2.0
//
// CommandList: a plan's commands with every parameter in place, for one stream
// of runs. CudaExecution enqueues it; a captured graph is made from it.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_COMMANDLIST_H
#define MINIC_RUNTIME_DEVICE_CUDA_COMMANDLIST_H

#include "runtime/device/cuda/KernelLaunch.h"
#include "runtime/device/cuda/LibraryCall.h"
#include "runtime/device/cuda/TensorMap.h"

namespace minic::runtime {

/// A command with what its Program loaded for it.
struct LoadedCommand {
  const format::Command *command = nullptr;
  KernelLaunch launch;               // of a launch
  std::unique_ptr<LibraryCall> call; // of a call: what Executions clone
};

/// Not thread-safe; refers to the loaded commands.
class CommandList {
public:
  /// A value of 8 bytes as kernels take it.
  union Slot {
    void *pointer;
    int64_t integer;
  };

  struct Step {
    enum class Kind { launch, call, copy, fill } kind = Kind::launch;
    const format::Command *command = nullptr;
    const KernelLaunch *launch = nullptr;
    /// Launch: the address of each parameter's value.
    void **params = nullptr;
    LibraryCall *call = nullptr;
    /// Copy: destination, source. Fill: destination.
    Slot *operands = nullptr;
    uint64_t bytes = 0; // of a copy or fill
    uint8_t value = 0;  // of a fill
  };

  /// Where a step takes a pointer that is a caller's tensor plus `offset`.
  struct CallerUse {
    uint32_t caller; // inputs, then outputs
    uint32_t step;
    uint64_t offset;
    Slot *slot; // null: a library call, which resolves it itself
    /// A parameter of the step that is a map of the tensor there; or null.
    TensorMap *map = nullptr;
  };

  /// `bases` are all but the callers' pointers. The context is current.
  /// `sharesCalls`: library calls are those of `commands`, not clones of them.
  static absl::StatusOr<std::unique_ptr<CommandList>>
  create(const CudaContext &context, const std::vector<LoadedCommand> &commands,
         const PlanBases &bases, uint32_t callerCount,
         bool sharesCalls = false);

  /// Puts the callers' pointers where they are used. An error where the driver
  /// makes no tensor map of one; call it again before the next run then.
  absl::Status setCallers(void *const *callers);
  /// The pointers of the last setCallers.
  const std::vector<void *> &callers() const { return callers_; }

  const std::vector<Step> &steps() const { return steps_; }
  /// Sorted by caller, then by step.
  const std::vector<CallerUse> &callerUses() const { return uses_; }
  /// "cublas gemm cannot be captured", of the first such call; empty: all can.
  const std::string &captureRefusal() const { return captureRefusal_; }

  /// The context is current.
  absl::Status enqueue(const Step &step, CUstream stream) const;
  absl::Status enqueueAll(CUstream stream) const;

private:
  CommandList(const CudaContext &context, const PlanBases &bases,
              uint32_t callerCount)
      : context_(context), bases_(bases), callers_(callerCount) {}
  absl::Status add(const LoadedCommand &command, bool sharesCalls);
  absl::Status addLaunch(const LoadedCommand &command,
                         const format::Launch &launch);
  Slot *newSlots(size_t count);
  void setAddress(Slot &slot, const format::Address &address);
  /// The map whose address has `slot`; of a caller's it has no contents yet.
  absl::StatusOr<TensorMap *> addMap(const format::TensorMapParam &param,
                                     const format::Address &address,
                                     Slot &slot);
  /// Notes that the step being added uses the address; false where it is not a
  /// caller's.
  bool noteUse(const format::Address &address, Slot *slot,
               TensorMap *map = nullptr);

  const CudaContext &context_;
  PlanBases bases_;
  std::vector<void *> callers_;
  std::vector<std::unique_ptr<LibraryCall>> ownCalls_;
  std::vector<Step> steps_;
  std::vector<CallerUse> uses_;
  std::string captureRefusal_;
  std::vector<std::unique_ptr<Slot[]>> slots_;
  std::vector<std::unique_ptr<void *[]>> params_;
  std::vector<std::unique_ptr<TensorMap>> maps_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_COMMANDLIST_H
