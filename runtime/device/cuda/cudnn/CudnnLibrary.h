// SPDX-License-Identifier: Apache-2.0
//
// CudnnLibrary: cuDNN, opened on demand, and the handles its calls are made
// with. The operations go through CudnnGraph.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNLIBRARY_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNLIBRARY_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cudnn.h>

#include <memory>
#include <string>

// What minic calls itself; the frontend looks up the rest.
#define MINIC_CUDNN_FUNCTIONS(X)                                               \
  X(cudnnGetVersion)                                                           \
  X(cudnnGetErrorString)                                                       \
  X(cudnnGetLastErrorString)                                                   \
  X(cudnnCreate)                                                               \
  X(cudnnDestroy)                                                              \
  X(cudnnSetStream)                                                            \
  X(cudnnBackendCreateDescriptor)                                              \
  X(cudnnBackendExecute)

namespace minic::runtime {

/// The functions by their own names. Thread-safe.
struct CudnnLibrary {
#define MINIC_CUDNN_MEMBER(name) decltype(&::name) name;
  MINIC_CUDNN_FUNCTIONS(MINIC_CUDNN_MEMBER)
#undef MINIC_CUDNN_MEMBER

  void *module = nullptr; // of dlopen
  std::string version;    // "9.19.0"

  /// Opens libcudnn.so.9, or what the environment's MINIC_CUDNN_LIBRARY names,
  /// once per process and keeps it. FailedPrecondition with the reason where it
  /// cannot.
  static absl::StatusOr<const CudnnLibrary *> open();
  /// The same of `path`, each time anew; for tests.
  static absl::StatusOr<std::unique_ptr<const CudnnLibrary>>
  load(const std::string &path);

  /// "cuDNN cannot <what>: <why>" by cuDNN's own words.
  absl::Status check(cudnnStatus_t status, absl::string_view what) const;
  absl::Status error(cudnnStatus_t status, absl::string_view what,
                     absl::string_view why) const;
  /// What cuDNN says of this thread's last error; reading forgets it.
  std::string lastError() const;
};

/// What one thread at a time makes calls with, on one stream. Belongs to the
/// context that is current when it is made.
class CudnnHandle {
public:
  static absl::StatusOr<std::unique_ptr<CudnnHandle>>
  create(const CudnnLibrary &library);
  ~CudnnHandle() { library.cudnnDestroy(handle); }
  CudnnHandle(const CudnnHandle &) = delete;
  CudnnHandle &operator=(const CudnnHandle &) = delete;

  cudnnHandle_t get() const { return handle; }
  absl::Status setStream(cudaStream_t stream);
  /// The next setStream tells cuDNN in any case: the last stream may be gone
  /// and another one have its address.
  void forgetStream() { isStreamKnown = false; }

private:
  CudnnHandle(const CudnnLibrary &library, cudnnHandle_t handle)
      : library(library), handle(handle) {}

  const CudnnLibrary &library;
  const cudnnHandle_t handle;
  cudaStream_t stream = nullptr; // what a new handle has
  bool isStreamKnown = true;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNLIBRARY_H
