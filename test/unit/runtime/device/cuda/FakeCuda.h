// SPDX-License-Identifier: Apache-2.0
//
// What tests set and read of the fake driver: a libcuda whose device memory is
// the host's, whose kernels are host functions, and which fails as told: by
// these fields in the process of the test, by MINIC_FAKE_CUDA in another.

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
  int kernelThreads = 1024;             // that a block of any kernel may have
  std::string deviceName = "Fake GPU "; // and its index
  size_t memoryBytes = size_t(1) << 37; // of each device
  double microsecondsBetweenEvents = 0; // 0: what the clock says

  // What goes wrong.
  int failAllocation = 0; // the nth from now is out of memory; 0: none
  CUresult moduleResult = CUDA_SUCCESS;
  std::string jitLog;
  CUresult launchResult = CUDA_SUCCESS; // of every launch
  /// A kernel whose entry in `launches` holds this text writes where there is
  /// no memory, or never ends; empty: none.
  std::string illegalLaunch, hangingLaunch;
  /// Each call of this function fails with `failResult`.
  std::string failFunction;
  CUresult failResult = CUDA_ERROR_UNKNOWN;

  // What happened.
  std::map<std::string, int> calls;  // by function
  std::vector<std::string> launches; // "name grid=2 shared=0 stream=..."
  /// What kernels asked for, in percent of the most.
  std::map<std::string, int> carveouts;
  int liveAllocations = 0, liveModules = 0, liveStreams = 0, liveGraphs = 0;
  int contextsRetained = 0;
  size_t allocatedBytes = 0; // of device memory, of all devices

  std::recursive_mutex mutex;

  /// All of the above but what is alive, as at the start.
  void reset();
  /// As MINIC_FAKE_CUDA says: "devices=1;arch=8.6;illegal=gemm_sm80 grid=4".
  /// Aborts where it cannot be understood.
  void apply(const std::string &settings);
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
