// SPDX-License-Identifier: Apache-2.0
//
// dlopen of libcublas and libcublasLt, and one handle of each per device.

#include "runtime/device/cuda/CublasLibrary.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>

namespace minic::runtime {

#define MINIC_SYMBOL_OF(name) #name
#define MINIC_SYMBOL(name) MINIC_SYMBOL_OF(name)

static absl::StatusOr<void *> openLibrary(const std::string &path,
                                          const char *name) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    return absl::FailedPreconditionError(absl::StrCat(
        "this plan calls ", name, ", which cannot be opened: ", dlerror(),
        "; install CUDA ", CUBLAS_VER_MAJOR, "'s ", name,
        " where the loader finds it"));
  }
  return handle;
}

static std::string nameOf(const char *variable, const char *stem) {
  const char *path = std::getenv(variable);
  return path && *path ? path : absl::StrCat(stem, ".so.", CUBLAS_VER_MAJOR);
}

static absl::Status toStatus(cublasStatus_t result, const char *text,
                             absl::string_view what) {
  if (result == CUBLAS_STATUS_SUCCESS) {
    return absl::OkStatus();
  }
  std::string message = absl::StrCat(what, ": ", text ? text : "unknown error",
                                     " (", static_cast<int>(result), ")");
  switch (result) {
  case CUBLAS_STATUS_ALLOC_FAILED:
    return absl::ResourceExhaustedError(message);
  case CUBLAS_STATUS_NOT_SUPPORTED:
    return absl::UnimplementedError("unsupported: " + message);
  default:
    return absl::InternalError(message);
  }
}

#define MINIC_BIND(function)                                                   \
  library->function = reinterpret_cast<decltype(&::function)>(                 \
      dlsym(*handle, MINIC_SYMBOL(function)));                                 \
  if (!library->function) {                                                    \
    return absl::FailedPreconditionError(                                      \
        absl::StrCat(path, " lacks ", MINIC_SYMBOL(function)));                \
  }

absl::StatusOr<std::unique_ptr<const CublasLibrary>>
CublasLibrary::load(const std::string &path) {
  absl::StatusOr<void *> handle = openLibrary(path, "cuBLAS");
  if (!handle.ok()) {
    return handle.status();
  }
  auto library = std::make_unique<CublasLibrary>();
  MINIC_CUBLAS_FUNCTIONS(MINIC_BIND)
  return library;
}

absl::StatusOr<std::unique_ptr<const CublasltLibrary>>
CublasltLibrary::load(const std::string &path) {
  absl::StatusOr<void *> handle = openLibrary(path, "cuBLASLt");
  if (!handle.ok()) {
    return handle.status();
  }
  auto library = std::make_unique<CublasltLibrary>();
  MINIC_CUBLASLT_FUNCTIONS(MINIC_BIND)
  size_t version = library->cublasLtGetVersion();
  library->version = absl::StrCat(version / 10000, ".", version / 100 % 100,
                                  ".", version % 100);
  // Attributes and enums are those of the headers' major version.
  if (version / 10000 != CUBLAS_VER_MAJOR) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": expected cuBLASLt ", CUBLAS_VER_MAJOR, ", got ",
                     library->version));
  }
  return library;
}

absl::StatusOr<const CublasLibrary *> CublasLibrary::open() {
  static const absl::StatusOr<std::unique_ptr<const CublasLibrary>> library =
      load(nameOf("MINIC_CUBLAS_LIBRARY", "libcublas"));
  if (!library.ok()) {
    return library.status();
  }
  return library->get();
}

absl::StatusOr<const CublasltLibrary *> CublasltLibrary::open() {
  static const absl::StatusOr<std::unique_ptr<const CublasltLibrary>> library =
      load(nameOf("MINIC_CUBLASLT_LIBRARY", "libcublasLt"));
  if (!library.ok()) {
    return library.status();
  }
  return library->get();
}

absl::Status CublasLibrary::status(cublasStatus_t result,
                                   absl::string_view what) const {
  return result == CUBLAS_STATUS_SUCCESS
             ? absl::OkStatus()
             : toStatus(result, cublasGetStatusString(result), what);
}

absl::Status CublasltLibrary::status(cublasStatus_t result,
                                     absl::string_view what) const {
  return result == CUBLAS_STATUS_SUCCESS
             ? absl::OkStatus()
             : toStatus(result, cublasLtGetStatusString(result), what);
}

namespace {

/// Handles by device, with the contexts that they were made in. Never freed:
/// libraries are gone before static destructors run.
template <typename Handle> struct DeviceHandles {
  std::mutex mutex;
  std::map<int, Handle> handles;
  std::vector<std::shared_ptr<const CudaContext>> contexts;

  /// The handle of a device, made by `create` in its context the first time.
  template <typename Create>
  absl::StatusOr<Handle> get(int deviceIndex, Create create) {
    std::lock_guard<std::mutex> lock(mutex);
    if (auto found = handles.find(deviceIndex); found != handles.end()) {
      return found->second;
    }
    auto context = CudaContext::retain(deviceIndex);
    if (!context.ok()) {
      return context.status();
    }
    CudaScope scope(**context);
    RelaxedCaptureScope relaxed((*context)->driver());
    absl::StatusOr<Handle> handle = create();
    if (handle.ok()) {
      handles[deviceIndex] = *handle;
      contexts.push_back(std::move(*context));
    }
    return handle;
  }
};

} // namespace

absl::StatusOr<CublasHandle *> cublasHandle(int deviceIndex) {
  static auto &handles = *new DeviceHandles<CublasHandle *>;
  absl::StatusOr<const CublasLibrary *> library = CublasLibrary::open();
  if (!library.ok()) {
    return library.status();
  }
  const CublasLibrary &cublas = **library;
  return handles.get(deviceIndex, [&]() -> absl::StatusOr<CublasHandle *> {
    cublasHandle_t handle;
    absl::Status status =
        cublas.status(cublas.cublasCreate(&handle), "cublasCreate");
    if (!status.ok()) {
      return status;
    }
    int version = 0;
    status = cublas.status(cublas.cublasGetVersion(handle, &version),
                           "cublasGetVersion");
    if (status.ok() && version / 10000 != CUBLAS_VER_MAJOR) {
      status = absl::FailedPreconditionError(
          absl::StrCat("expected cuBLAS ", CUBLAS_VER_MAJOR, ", got ",
                       version / 10000, ".", version / 100 % 100));
    }
    // Partial sums stay f32 whatever the result is rounded to.
    auto mode = static_cast<cublasMath_t>(
        CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    status.Update(cublas.status(cublas.cublasSetMathMode(handle, mode),
                                "cublasSetMathMode"));
    if (!status.ok()) {
      return status;
    }
    return new CublasHandle{cublas, handle, {}};
  });
}

absl::StatusOr<cublasLtHandle_t> cublasltHandle(int deviceIndex) {
  static auto &handles = *new DeviceHandles<cublasLtHandle_t>;
  absl::StatusOr<const CublasltLibrary *> library = CublasltLibrary::open();
  if (!library.ok()) {
    return library.status();
  }
  const CublasltLibrary &cublaslt = **library;
  return handles.get(deviceIndex, [&]() -> absl::StatusOr<cublasLtHandle_t> {
    cublasLtHandle_t handle;
    absl::Status status =
        cublaslt.status(cublaslt.cublasLtCreate(&handle), "cublasLtCreate");
    if (!status.ok()) {
      return status;
    }
    return handle;
  });
}

} // namespace minic::runtime
