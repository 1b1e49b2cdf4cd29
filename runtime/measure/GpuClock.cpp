// SPDX-License-Identifier: Apache-2.0
//
// The four functions of NVML that are needed, by their documented signatures:
// its header is not part of every toolkit.

#include "runtime/measure/GpuClock.h"

#include <dlfcn.h>

namespace minic::runtime {

struct GpuClock::Nvml {
  void *library = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*getHandle)(const char *uuid, void **device) = nullptr;
  int (*getClock)(void *device, int type, unsigned *mhz) = nullptr;
  bool isOpen = false;
};

GpuClock::~GpuClock() {
  if (nvml && nvml->isOpen) {
    nvml->shutdown();
  }
  if (nvml && nvml->library) {
    ::dlclose(nvml->library);
  }
}

GpuClock::GpuClock(const std::string &uuid, const std::string &path)
    : nvml(std::make_unique<Nvml>()) {
  nvml->library = ::dlopen(path.empty() ? "libnvidia-ml.so.1" : path.c_str(),
                           RTLD_NOW | RTLD_LOCAL);
  if (!nvml->library) {
    return;
  }
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        ::dlsym(nvml->library, name));
    return function != nullptr;
  };
  nvml->isOpen =
      find(nvml->init, "nvmlInit_v2") && find(nvml->shutdown, "nvmlShutdown") &&
      find(nvml->getHandle, "nvmlDeviceGetHandleByUUID") &&
      find(nvml->getClock, "nvmlDeviceGetClockInfo") && nvml->init() == 0;
  if (nvml->isOpen && nvml->getHandle(uuid.c_str(), &device) != 0) {
    device = nullptr;
  }
}

double GpuClock::smMHz() const {
  constexpr int smClock = 1; // NVML_CLOCK_SM
  unsigned mhz = 0;
  if (!device || nvml->getClock(device, smClock, &mhz) != 0) {
    return 0;
  }
  return mhz;
}

} // namespace minic::runtime
