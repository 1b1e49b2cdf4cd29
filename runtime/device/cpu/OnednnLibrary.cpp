// SPDX-License-Identifier: Apache-2.0
//
// dlopen of libdnnl.

#include "runtime/device/cpu/OnednnLibrary.h"

#include "absl/strings/str_cat.h"

#include <dlfcn.h>

namespace minic::runtime {

static absl::StatusOr<const OnednnLibrary *> openOnce() {
  std::string name = absl::StrCat("libdnnl.so.", DNNL_VERSION_MAJOR);
  void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    return absl::FailedPreconditionError(absl::StrCat(
        "this plan calls oneDNN, which cannot be opened: ", dlerror(),
        "; install libdnnl", DNNL_VERSION_MAJOR));
  }
  static OnednnLibrary library;
#define MINIC_ONEDNN_BIND(function)                                            \
  library.function =                                                           \
      reinterpret_cast<decltype(&::function)>(dlsym(handle, #function));       \
  if (!library.function) {                                                     \
    return absl::FailedPreconditionError(                                      \
        absl::StrCat(name, " lacks ", #function));                             \
  }
  MINIC_ONEDNN_FUNCTIONS(MINIC_ONEDNN_BIND)
#undef MINIC_ONEDNN_BIND
  const dnnl_version_t *version = library.dnnl_version();
  library.version =
      absl::StrCat(version->major, ".", version->minor, ".", version->patch);
  // A GNU OpenMP build shares minic's threads; others would add their own.
  if (version->cpu_runtime != DNNL_RUNTIME_OMP) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, " is not built for OpenMP"));
  }
  if (library.dnnl_engine_create(&library.engine, dnnl_cpu, 0) !=
      dnnl_success) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, " has no CPU engine"));
  }
  return &library;
}

absl::StatusOr<const OnednnLibrary *> OnednnLibrary::open() {
  static const absl::StatusOr<const OnednnLibrary *> library = openOnce();
  return library;
}

} // namespace minic::runtime
