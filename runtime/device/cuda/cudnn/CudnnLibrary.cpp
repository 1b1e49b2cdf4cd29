// SPDX-License-Identifier: Apache-2.0
//
// dlopen of libcudnn.

#include "runtime/device/cuda/cudnn/CudnnLibrary.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

namespace minic::runtime {

static constexpr int kMajor = 9; // what the library's file name says

absl::StatusOr<std::unique_ptr<const CudnnLibrary>>
CudnnLibrary::load(const std::string &path) {
  // Its parts are libraries of their own that it opens itself.
  void *module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) {
    return absl::FailedPreconditionError(absl::StrCat(
        "this plan calls cuDNN, which cannot be opened: ", dlerror(),
        "; install cuDNN ", kMajor,
        " for CUDA 13, or let MINIC_CUDNN_LIBRARY "
        "name its libcudnn.so.",
        kMajor));
  }
  auto library = std::make_unique<CudnnLibrary>();
#define MINIC_CUDNN_BIND(function)                                             \
  library->function =                                                          \
      reinterpret_cast<decltype(&::function)>(dlsym(module, #function));       \
  if (!library->function) {                                                    \
    return absl::FailedPreconditionError(absl::StrCat(                         \
        path, " is no cuDNN ", kMajor, ": it lacks ", #function));             \
  }
  MINIC_CUDNN_FUNCTIONS(MINIC_CUDNN_BIND)
#undef MINIC_CUDNN_BIND
  size_t version = library->cudnnGetVersion();
  library->module = module;
  library->version = absl::StrCat(version / 10000, ".", version / 100 % 100,
                                  ".", version % 100);
  if (version / 10000 != kMajor) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, ": expected cuDNN ", kMajor, ", got version number ", version));
  }
  return library;
}

absl::StatusOr<const CudnnLibrary *> CudnnLibrary::open() {
  static const absl::StatusOr<std::unique_ptr<const CudnnLibrary>> library =
      [] {
        const char *path = std::getenv("MINIC_CUDNN_LIBRARY");
        return load(path && *path ? path
                                  : absl::StrCat("libcudnn.so.", kMajor));
      }();
  if (!library.ok()) {
    return library.status();
  }
  return library->get();
}

absl::Status CudnnLibrary::check(cudnnStatus_t status,
                                 absl::string_view what) const {
  if (status == CUDNN_STATUS_SUCCESS) {
    return absl::OkStatus();
  }
  constexpr size_t most = 1023; // of what may be the words on many engines
  return error(status, what, lastError().substr(0, most));
}

std::string CudnnLibrary::lastError() const {
  char text[4096] = "";
  cudnnGetLastErrorString(text, sizeof(text));
  text[sizeof(text) - 1] = '\0';
  return text;
}

absl::Status CudnnLibrary::error(cudnnStatus_t status, absl::string_view what,
                                 absl::string_view why) const {
  std::string message =
      absl::StrCat("cuDNN ", version, " cannot ", what, ": ",
                   cudnnGetErrorString(status), why.empty() ? "" : ", ", why);
  switch (CUDNN_STATUS_CATEGORY(int(status))) {
  case CUDNN_STATUS_NOT_SUPPORTED:
    return absl::UnimplementedError(message);
  case 1000: // not initialized: no device, parts of the library missing
    return absl::FailedPreconditionError(message);
  }
  if (status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
      status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED) {
    return absl::ResourceExhaustedError(message);
  }
  return absl::InternalError(message);
}

absl::StatusOr<std::unique_ptr<CudnnHandle>>
CudnnHandle::create(const CudnnLibrary &library) {
  // One at a time: threads that made them at once held each other up for
  // seconds in github.com/openxla/xla/pull/28497, and the first must be alone.
  static std::mutex mutex;
  cudnnHandle_t handle = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  absl::Status status =
      library.check(library.cudnnCreate(&handle), "start on this device");
  if (!status.ok()) {
    return status;
  }
  return std::unique_ptr<CudnnHandle>(new CudnnHandle(library, handle));
}

absl::Status CudnnHandle::setStream(cudaStream_t next) {
  if (isStreamKnown && next == stream) {
    return absl::OkStatus();
  }
  absl::Status status =
      library.check(library.cudnnSetStream(handle, next), "take the stream");
  if (status.ok()) {
    stream = next;
    isStreamKnown = true;
  }
  return status;
}

} // namespace minic::runtime
