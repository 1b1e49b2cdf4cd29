// SPDX-License-Identifier: Apache-2.0
//
// Which library the frontend calls.

#include "runtime/device/cuda/cudnn/Frontend.h"

#include <mutex>

namespace minic_cudnn_frontend {
void *cudnn_dlhandle = nullptr;
} // namespace minic_cudnn_frontend

namespace minic::runtime {

absl::Status useLibrary(const CudnnLibrary &library) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (fe::cudnn_dlhandle && fe::cudnn_dlhandle != library.module) {
    return absl::InternalError("internal error: two cuDNN libraries");
  }
  if (!fe::cudnn_dlhandle) { // else other threads may be reading it
    fe::cudnn_dlhandle = library.module;
  }
  return absl::OkStatus();
}

} // namespace minic::runtime
