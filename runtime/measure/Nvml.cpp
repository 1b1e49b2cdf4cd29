// SPDX-License-Identifier: Apache-2.0
//
// The functions by their documented signatures: NVML's header is not part of
// every toolkit.

#include "runtime/measure/Nvml.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <dlfcn.h>

namespace minic::runtime {

Nvml::Nvml() {
  const char *named = std::getenv("MINIC_NVML_LIBRARY");
  library = ::dlopen(named && *named ? named : "libnvidia-ml.so.1",
                     RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = ::dlerror();
    problem = absl::StrCat("no NVML: ", why ? why : "it cannot be opened");
    return;
  }
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        ::dlsym(library, name));
    return function != nullptr;
  };
  find(errorString, "nvmlErrorString");
  find(getMaxClock, "nvmlDeviceGetMaxClockInfo");
  find(lockClocks, "nvmlDeviceSetGpuLockedClocks");
  find(resetClocks, "nvmlDeviceResetGpuLockedClocks");
  int (*init)() = nullptr;
  if (!find(init, "nvmlInit_v2") || !find(shutdown, "nvmlShutdown") ||
      !find(getHandle, "nvmlDeviceGetHandleByUUID") ||
      !find(getClock, "nvmlDeviceGetClockInfo")) {
    problem = "NVML lacks functions, expected a newer one";
  } else if (int error = init(); error != 0) {
    problem = absl::StrCat("NVML does not start: ", describe(error));
  }
}

Nvml::~Nvml() {
  if (library && problem.empty()) {
    shutdown();
  }
  if (library) {
    ::dlclose(library);
  }
}

std::string Nvml::describe(int error) const {
  const char *text = errorString ? errorString(error) : nullptr;
  return text ? absl::StrCat(text, " (NVML error ", error, ")")
              : absl::StrCat("NVML error ", error);
}

} // namespace minic::runtime
