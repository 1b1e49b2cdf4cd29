// SPDX-License-Identifier: Apache-2.0
//
// DeviceFacts: what a worker says of the machine that it runs on.

#ifndef MINIC_RUNTIME_MEASURE_DEVICEFACTS_H
#define MINIC_RUNTIME_MEASURE_DEVICEFACTS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace minic::runtime {

/// Facts about one GPU. What is not known is 0 or empty.
struct GpuFacts {
  int index = 0;
  std::string name; // "NVIDIA H200"
  std::string uuid; // "GPU-5f1c...": names its lock file
  std::string pciBusId;
  int computeMajor = 0, computeMinor = 0;
  int smCount = 0, threadsPerSm = 0;
  int64_t smClockKHz = 0, memoryClockKHz = 0; // the highest
  int memoryBusBits = 0;
  double memoryGBs = 0; // peak of both together
  int64_t l2Bytes = 0, memoryBytes = 0;
  int64_t sharedBytesPerBlock = 0, sharedBytesPerSm = 0; // opt-in maximum
  int64_t registersPerSm = 0;
  bool isMig = false; // a part of a GPU
};

/// Facts about the machine the worker runs on; answers a DescribeRequest.
struct DeviceFacts {
  std::string name;   // CPUID brand string: "AMD EPYC 9B14"
  std::string vendor; // CPUID vendor: "AuthenticAMD"
  int family = 0, model = 0, stepping = 0;
  /// Instruction sets the CPU has and the system has enabled, by their LLVM
  /// feature names ("avx512bf16"), sorted.
  std::vector<std::string> features;
  int64_t l1Bytes = 0, l2Bytes = 0, l3Bytes = 0; // data or unified, 0 if absent
  int cores = 0;                                 // CPUs this process may use
  /// Microseconds of a parallel region without work on the threads that were
  /// asked for; 0 where none were, or where it cannot be measured now.
  double joinUs = 0;
  /// Versions of libraries that plans call, without an entry where the library
  /// cannot be opened: {"oneDNN": "2.6.3"}; with GPUs also "driver", "cuBLAS"
  /// and "cuDNN".
  std::map<std::string, std::string> libraries;
  /// Only where they were asked for.
  std::vector<GpuFacts> gpus;
  /// One line on why there is none, and whether that is a fault: a driver that
  /// is installed and does not work.
  std::string gpuProblem;
  bool isGpuBroken = false;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_DEVICEFACTS_H
