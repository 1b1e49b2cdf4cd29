// SPDX-License-Identifier: Apache-2.0
//
// dlopen of libcuda.so.1.

#include "runtime/device/cuda/CudaDriver.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <dlfcn.h>

namespace minic::runtime {

// Not for the functions in the table: the newest, cuEventElapsedTime_v2, came
// with 12.8. But CUDA 13 assembles cubins of another ELF format, and its cuBLAS
// and cuDNN need its driver (docs/support.md).
static constexpr int kOldestDriver = 13000;

#define MINIC_CUDA_SYMBOL_OF(name) #name
#define MINIC_CUDA_SYMBOL(name) MINIC_CUDA_SYMBOL_OF(name)

std::string cudaVersionText(int version) {
  return absl::StrCat(version / 1000, ".", version % 1000 / 10);
}

absl::StatusOr<std::unique_ptr<const CudaDriver>>
CudaDriver::load(const std::string &path) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    std::string reason = dlerror();
    // A missing file is a machine without CUDA; all else is a broken one.
    if (absl::StartsWith(reason, absl::StrCat(path, ": cannot open"))) {
      return absl::NotFoundError(absl::StrCat("no CUDA driver: ", reason));
    }
    return absl::FailedPreconditionError(
        absl::StrCat("the CUDA driver cannot be opened: ", reason));
  }
  auto symbol = [&](const char *name) { return dlsym(handle, name); };
  auto getVersion = reinterpret_cast<decltype(&::cuDriverGetVersion)>(
      symbol("cuDriverGetVersion"));
  auto initialize = reinterpret_cast<decltype(&::cuInit)>(symbol("cuInit"));
  if (!getVersion || !initialize) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is no CUDA driver: it lacks cuInit"));
  }
  CUresult started = initialize(0);
  if (started == CUDA_ERROR_NO_DEVICE) {
    return absl::NotFoundError("no CUDA device: the driver found none");
  }
  auto driver = std::make_unique<CudaDriver>();
  if (started == CUDA_SUCCESS &&
      (getVersion(&driver->version) != CUDA_SUCCESS ||
       driver->version < kOldestDriver)) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, ": expected a driver for CUDA ", cudaVersionText(kOldestDriver),
        " or newer, got one for CUDA ", cudaVersionText(driver->version)));
  }
  const char *lacking = nullptr;
#define MINIC_CUDA_BIND(name)                                                  \
  driver->name =                                                               \
      reinterpret_cast<decltype(&::name)>(symbol(MINIC_CUDA_SYMBOL(name)));    \
  if (!driver->name) {                                                         \
    lacking = MINIC_CUDA_SYMBOL(name);                                         \
  }
  MINIC_CUDA_FUNCTIONS(MINIC_CUDA_BIND)
#undef MINIC_CUDA_BIND
  if (started != CUDA_SUCCESS) { // a stub, or one of two versions at once
    return absl::FailedPreconditionError(absl::StrCat(
        "the CUDA driver does not start: ",
        lacking ? absl::StrCat(path, ": cuInit: error ", int(started))
                : driver->status(started, absl::StrCat(path, ": cuInit"))
                      .message()));
  }
  if (lacking) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " lacks ", lacking));
  }
  return driver;
}

absl::StatusOr<const CudaDriver *> CudaDriver::open() {
  static const absl::StatusOr<std::unique_ptr<const CudaDriver>> driver = [] {
    const char *path = std::getenv("MINIC_CUDA_DRIVER");
    return load(path && *path ? path : "libcuda.so.1");
  }();
  if (!driver.ok()) {
    return driver.status();
  }
  return driver->get();
}

/// After these every call into the context fails, whoever makes it.
static bool losesContext(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
    return true;
  default:
    return false;
  }
}

/// A payload of statuses.
constexpr absl::string_view kContextLost = "minic/context-lost";

absl::Status CudaDriver::status(CUresult result, absl::string_view what) const {
  if (result == CUDA_SUCCESS) {
    return absl::OkStatus();
  }
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || !name) {
    name = "unknown CUDA error";
  }
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS || !text) {
    text = "no text";
  }
  std::string message =
      absl::StrCat(what, ": ", name, " (", int(result), "): ", text);
  switch (result) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    return absl::ResourceExhaustedError(message);
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    return absl::FailedPreconditionError(message);
  default:
    break;
  }
  if (losesContext(result)) {
    absl::StrAppend(&message, "; the CUDA context is lost and with it all of "
                              "this process's work on the device");
  }
  absl::Status status = absl::InternalError(message);
  if (losesContext(result)) {
    status.SetPayload(kContextLost, absl::Cord());
  }
  return status;
}

bool isContextLost(const absl::Status &status) {
  return status.GetPayload(kContextLost).has_value();
}

} // namespace minic::runtime
