// SPDX-License-Identifier: Apache-2.0
//
// What tests set and read of the fake driver: a libcuda whose device memory is
// the host's, whose kernels are host functions, and which fails as told.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_FAKECUDA_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_FAKECUDA_H

#include <cuda.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace minic::testing {

/// Shared by the library and the tests; hold `mutex` where other threads call
/// the driver.
struct FakeCuda {
  // What the machine is.
  int version = 13000;
  CUresult initResult = CUDA_SUCCESS;
  int devices = 2;
  int major = 9, minor = 0;
  std::map<CUdevice_attribute, int> attributes; // others have a default
  int kernelThreads = 1024; // that a block of any kernel may have

  // What goes wrong.
  int failAllocation = 0; // the nth from now is out of memory; 0: none
  CUresult moduleResult = CUDA_SUCCESS;
  std::string jitLog;
  CUresult launchResult = CUDA_SUCCESS; // of every launch
  /// Each call of this function fails with `failResult`.
  std::string failFunction;
  CUresult failResult = CUDA_ERROR_UNKNOWN;

  // What happened.
  std::map<std::string, int> calls;  // by function
  std::vector<std::string> launches; // "name grid=2 shared=0 stream=..."
  int liveAllocations = 0, liveModules = 0, liveStreams = 0, liveGraphs = 0;
  int contextsRetained = 0;

  std::recursive_mutex mutex;

  /// All of the above but what is alive, as at the start.
  void reset();
  int callsOf(const std::string &function) {
    std::lock_guard<std::recursive_mutex> lock(mutex);
    return calls[function];
  }
};

/// Opens the fake and makes minic use it in this process; the path is
/// fakeCudaPath().
FakeCuda &fakeCuda();
const char *fakeCudaPath();

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_FAKECUDA_H
