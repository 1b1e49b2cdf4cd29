// SPDX-License-Identifier: Apache-2.0
//
// dlopen of libcupti.

#include "runtime/device/cuda/CuptiLibrary.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <dlfcn.h>

namespace minic::runtime {

static absl::StatusOr<std::unique_ptr<const CuptiLibrary>> load() {
  const char *named = std::getenv("MINIC_CUPTI_LIBRARY");
  std::string path = named && *named
                         ? named
                         : absl::StrCat("libcupti.so.", CUDA_VERSION / 1000);
  if (path == "off") {
    return absl::NotFoundError("MINIC_CUPTI_LIBRARY is off");
  }
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    return absl::NotFoundError(dlerror());
  }
  auto library = std::make_unique<CuptiLibrary>();
#define MINIC_BIND(function)                                                   \
  library->function =                                                          \
      reinterpret_cast<decltype(&::function)>(dlsym(handle, #function));       \
  if (!library->function) {                                                    \
    return absl::NotFoundError(absl::StrCat(path, " lacks ", #function));      \
  }
  MINIC_CUPTI_FUNCTIONS(MINIC_BIND)
#undef MINIC_BIND
  return library;
}

absl::StatusOr<const CuptiLibrary *> CuptiLibrary::open() {
  static const absl::StatusOr<std::unique_ptr<const CuptiLibrary>> library =
      load();
  if (!library.ok()) {
    return library.status();
  }
  return library->get();
}

absl::Status CuptiLibrary::status(CUptiResult result, const char *what) const {
  if (result == CUPTI_SUCCESS) {
    return absl::OkStatus();
  }
  const char *text = nullptr;
  cuptiGetResultString(result, &text);
  return absl::UnavailableError(absl::StrCat(
      what, ": ", text ? text : "unknown error", " (", int(result), ")"));
}

} // namespace minic::runtime
