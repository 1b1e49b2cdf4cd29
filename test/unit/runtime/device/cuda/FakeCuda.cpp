// SPDX-License-Identifier: Apache-2.0
//
// The tests' side of the fake driver.

#include "test/unit/runtime/device/cuda/FakeCuda.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace minic::testing {

void FakeCuda::reset() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  FakeCuda fresh;
  version = fresh.version;
  initResult = fresh.initResult;
  devices = fresh.devices;
  major = fresh.major;
  minor = fresh.minor;
  attributes.clear();
  kernelThreads = fresh.kernelThreads;
  deviceName = fresh.deviceName;
  memoryBytes = fresh.memoryBytes;
  microsecondsBetweenEvents = fresh.microsecondsBetweenEvents;
  failAllocation = 0;
  moduleResult = CUDA_SUCCESS;
  jitLog.clear();
  launchResult = CUDA_SUCCESS;
  illegalLaunch.clear();
  hangingLaunch.clear();
  failFunction.clear();
  failResult = fresh.failResult;
  calls.clear();
  launches.clear();
  carveouts.clear();
}

const char *fakeCudaPath() { return MINIC_FAKE_CUDA; }

FakeCuda &fakeCuda() {
  static FakeCuda *fake = [] {
    setenv("MINIC_CUDA_DRIVER", fakeCudaPath(), 1);
    // A real one would look for a real driver.
    setenv("MINIC_CUPTI_LIBRARY", "off", /*overwrite=*/0);
    void *library = dlopen(fakeCudaPath(), RTLD_NOW | RTLD_LOCAL);
    auto *find =
        library
            ? reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "minicFakeCuda"))
            : nullptr;
    if (!find) {
      std::fprintf(stderr, "cannot open the fake CUDA driver: %s\n", dlerror());
      std::abort();
    }
    return find();
  }();
  return *fake;
}

} // namespace minic::testing
