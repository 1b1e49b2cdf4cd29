// SPDX-License-Identifier: Apache-2.0
//
// LibraryCall: a call into cuBLAS, cuBLASLt or cuDNN, as CudaExecution sees it.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_LIBRARYCALL_H
#define MINIC_RUNTIME_DEVICE_CUDA_LIBRARYCALL_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/CudaContext.h"

namespace minic::runtime {

/// Where the plan's addresses are in one run.
struct PlanBases {
  void *const *constants = nullptr; // by index of Artifact.constants
  std::byte *arena = nullptr;
  std::byte *persistent = nullptr;
  void *const *callers = nullptr; // inputs, then outputs
  uint32_t inputCount = 0;

  /// Null for empty memory, which has no address to add to.
  void *resolve(const format::Address &address) const {
    std::byte *base = nullptr;
    switch (address.base()) {
    case format::Base::constant:
      base = static_cast<std::byte *>(constants[address.index()]);
      break;
    case format::Base::arena:
      base = arena;
      break;
    case format::Base::persistent:
      base = persistent;
      break;
    case format::Base::input:
      base = static_cast<std::byte *>(callers[address.index()]);
      break;
    case format::Base::output:
      base = static_cast<std::byte *>(callers[inputCount + address.index()]);
      break;
    }
    return base ? base + address.offset() : nullptr;
  }
};

/// What a call is made with; everything outlives it.
struct LibraryCallOptions {
  const CudaContext &context; // current while calls are made and run
  /// Of the library that the plan was made with; empty: not to be compared.
  std::string libraryVersion;
  bool strictLibraries = false; // fail where the version differs
  int deviceIndex = 0;
  /// By index of Artifact.constants; null where the variant uses none of it.
  const std::vector<void *> &constants;
  /// Tells how callers' memory is aligned; null: to 16 bytes.
  const format::Function *function = nullptr;
  /// Gives what earlier calls left and keeps what this one leaves; null:
  /// nothing is kept. See ExecutableSource.
  std::shared_ptr<SparePool> spares = nullptr;
  /// A call whose algorithm is open need only answer `algorithms`.
  bool onlyListsAlgorithms = false;
};

/// One Execution's use of a call; one thread at a time. The context is current
/// in every member.
class LibraryCall {
public:
  virtual ~LibraryCall() = default;
  /// Enqueues the call on `stream`, which may be capturing. Never waits;
  /// allocates nothing of minic's.
  virtual absl::Status enqueue(CUstream stream, const PlanBases &bases) = 0;
  /// The same call for another Execution; shares what does not change.
  virtual absl::StatusOr<std::unique_ptr<LibraryCall>> clone() const = 0;
  /// At most `max` ways to do this call within `scratchLimit` bytes, the
  /// library's favourite first. Unimplemented if it has only one.
  virtual absl::StatusOr<std::vector<LibraryAlgorithm>>
  algorithms(int max, uint64_t scratchLimit) const;
  /// False: the call must not be enqueued on a stream that captures.
  virtual bool canBeCaptured() const { return true; }
};

/// Each opens its library and makes what the call needs before its first run;
/// `call` must outlive what is made. FailedPrecondition where the library
/// cannot be opened, is of another major version or, with strictLibraries, of
/// another than the plan names; Unimplemented where it cannot do this call;
/// InvalidArgument for an algorithm that it does not have.
absl::StatusOr<std::unique_ptr<LibraryCall>>
createCublasGemm(const format::Call &call, const LibraryCallOptions &options);
absl::StatusOr<std::unique_ptr<LibraryCall>>
createCublasltMatmul(const format::Call &call,
                     const LibraryCallOptions &options);
absl::StatusOr<std::unique_ptr<LibraryCall>>
createCudnnCall(const format::Call &call, const LibraryCallOptions &options);

/// By one of the above. Unimplemented for a call that is not a GPU's.
absl::StatusOr<std::unique_ptr<LibraryCall>>
createLibraryCall(const format::Call &call, const LibraryCallOptions &options);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_LIBRARYCALL_H
