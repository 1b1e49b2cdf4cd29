// SPDX-License-Identifier: Apache-2.0
//
// The driver's facts in the protocol's words.

#include "runtime/measure/DescribeGpus.h"

#ifdef MINIC_BUILD_CUDA
#include "runtime/device/cuda/CudaFacts.h"
#endif

namespace minic::runtime {

#ifdef MINIC_BUILD_CUDA

static GpuFacts toGpuFacts(const CudaFacts &cuda) {
  GpuFacts gpu;
  gpu.index = cuda.index;
  gpu.name = cuda.name;
  gpu.uuid = cuda.uuid;
  gpu.pciBusId = cuda.pciBusId;
  gpu.computeMajor = cuda.computeMajor;
  gpu.computeMinor = cuda.computeMinor;
  gpu.smCount = cuda.smCount;
  gpu.threadsPerSm = cuda.threadsPerSm;
  gpu.smClockKHz = cuda.smClockKHz;
  gpu.memoryClockKHz = cuda.memoryClockKHz;
  gpu.memoryBusBits = cuda.memoryBusBits;
  // Two transfers a clock, a byte is eight lines.
  gpu.memoryGBs =
      2e-6 * double(cuda.memoryClockKHz) * double(cuda.memoryBusBits) / 8;
  gpu.l2Bytes = cuda.l2Bytes;
  gpu.memoryBytes = cuda.memoryBytes;
  gpu.sharedBytesPerBlock = cuda.sharedBytesPerBlock;
  gpu.sharedBytesPerSm = cuda.sharedBytesPerSm;
  gpu.registersPerSm = cuda.registersPerSm;
  gpu.isMig = cuda.isMig;
  return gpu;
}

void describeGpus(DeviceFacts &facts) {
  absl::StatusOr<std::vector<CudaFacts>> devices = describeCudaDevices();
  if (!devices.ok()) {
    facts.isGpuBroken = !absl::IsNotFound(devices.status());
    facts.gpuProblem = std::string(devices.status().message());
    return;
  }
  for (const CudaFacts &device : *devices) {
    facts.gpus.push_back(toGpuFacts(device));
  }
  if (facts.gpus.empty()) {
    facts.gpuProblem = "the driver shows no GPU";
  }
  facts.libraries.merge(cudaVersions());
}

#else

void describeGpus(DeviceFacts &facts) {
  facts.gpuProblem = "this build has no CUDA";
}

#endif

} // namespace minic::runtime
