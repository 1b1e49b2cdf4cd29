// SPDX-License-Identifier: Apache-2.0
//
// CudaFacts: what the driver says of the machine's GPUs. Needs no CUDA header.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDAFACTS_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDAFACTS_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace minic::runtime {

/// One GPU as the driver counts them; 0 or empty for what it does not say.
struct CudaFacts {
  int index = 0;
  std::string name;     // "NVIDIA H200"
  std::string uuid;     // "GPU-...", of a part of one "MIG-..."
  std::string pciBusId; // "0000:1a:00.0"
  int computeMajor = 0, computeMinor = 0;
  int smCount = 0, threadsPerSm = 0;
  int64_t smClockKHz = 0, memoryClockKHz = 0; // the highest
  int memoryBusBits = 0;
  int64_t l2Bytes = 0, memoryBytes = 0;
  int64_t sharedBytesPerBlock = 0, sharedBytesPerSm = 0; // opt-in maximum
  int64_t registersPerSm = 0;
  bool isMig = false;
};

/// All GPUs. NotFound without driver or GPU, FailedPrecondition for a driver
/// that does not work; both as CudaDriver::open says.
absl::StatusOr<std::vector<CudaFacts>> describeCudaDevices();

/// Versions of the driver and of the libraries that plans call, without an
/// entry where one cannot be opened: {"driver": "13.0", "cuBLAS": "13.1.0"}.
std::map<std::string, std::string> cudaVersions();

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDAFACTS_H
