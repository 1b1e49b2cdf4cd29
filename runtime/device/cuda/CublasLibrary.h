// SPDX-License-Identifier: Apache-2.0
//
// CublasLibrary, CublasltLibrary: functions of cuBLAS and cuBLASLt, opened on
// demand.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUBLASLIBRARY_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUBLASLIBRARY_H

#include "runtime/device/cuda/CudaContext.h"

#include <cublasLt.h>
#include <cublas_v2.h>

#include <mutex>

// Every function that minic calls. cublas_v2.h maps some names to versioned
// ones; members and symbols follow it.
#define MINIC_CUBLAS_FUNCTIONS(X)                                              \
  X(cublasCreate)                                                              \
  X(cublasGetVersion)                                                          \
  X(cublasGetStatusString)                                                     \
  X(cublasSetStream)                                                           \
  X(cublasSetWorkspace)                                                        \
  X(cublasSetMathMode)                                                         \
  X(cublasGemmEx_64)                                                           \
  X(cublasGemmStridedBatchedEx_64)

#define MINIC_CUBLASLT_FUNCTIONS(X)                                            \
  X(cublasLtCreate)                                                            \
  X(cublasLtGetVersion)                                                        \
  X(cublasLtGetStatusString)                                                   \
  X(cublasLtMatmulDescCreate)                                                  \
  X(cublasLtMatmulDescDestroy)                                                 \
  X(cublasLtMatmulDescSetAttribute)                                            \
  X(cublasLtMatrixLayoutCreate)                                                \
  X(cublasLtMatrixLayoutDestroy)                                               \
  X(cublasLtMatrixLayoutSetAttribute)                                          \
  X(cublasLtMatmulPreferenceCreate)                                            \
  X(cublasLtMatmulPreferenceDestroy)                                           \
  X(cublasLtMatmulPreferenceSetAttribute)                                      \
  X(cublasLtMatmulAlgoGetHeuristic)                                            \
  X(cublasLtMatmulAlgoCheck)                                                   \
  X(cublasLtMatmulAlgoConfigGetAttribute)                                      \
  X(cublasLtMatmul)

namespace minic::runtime {

/// The functions by their own names. Thread-safe.
struct CublasLibrary {
#define MINIC_CUBLAS_MEMBER(name) decltype(&::name) name;
  MINIC_CUBLAS_FUNCTIONS(MINIC_CUBLAS_MEMBER)
#undef MINIC_CUBLAS_MEMBER

  /// Opens libcublas.so of the major version that minic was built for, or what
  /// the environment's MINIC_CUBLAS_LIBRARY names, once per process, and keeps
  /// it. FailedPrecondition with the reason where it cannot.
  static absl::StatusOr<const CublasLibrary *> open();

  /// The same, each time anew, from `path`.
  static absl::StatusOr<std::unique_ptr<const CublasLibrary>>
  load(const std::string &path);

  /// "what: <cuBLAS's text>". ResourceExhausted where memory ran out,
  /// Unimplemented where cuBLAS does not support it, else Internal.
  absl::Status status(cublasStatus_t result, absl::string_view what) const;
};

/// As CublasLibrary; the environment's name is MINIC_CUBLASLT_LIBRARY.
struct CublasltLibrary {
#define MINIC_CUBLASLT_MEMBER(name) decltype(&::name) name;
  MINIC_CUBLASLT_FUNCTIONS(MINIC_CUBLASLT_MEMBER)
#undef MINIC_CUBLASLT_MEMBER

  std::string version; // "13.1.0"

  static absl::StatusOr<const CublasltLibrary *> open();
  static absl::StatusOr<std::unique_ptr<const CublasltLibrary>>
  load(const std::string &path);
  absl::Status status(cublasStatus_t result, absl::string_view what) const;
};

/// A device's cuBLAS handle, made once per process. Stream and workspace are
/// the handle's, so calls lock it while they set them and enqueue.
struct CublasHandle {
  const CublasLibrary &library;
  cublasHandle_t handle;
  std::mutex mutex;
};

/// The handles keep the device's primary context from then on, because nobody
/// can tell whether others drop it in between.
absl::StatusOr<CublasHandle *> cublasHandle(int deviceIndex);
absl::StatusOr<cublasLtHandle_t> cublasltHandle(int deviceIndex);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUBLASLIBRARY_H
