// SPDX-License-Identifier: Apache-2.0
//
// Facts by the driver, peaks by the architecture.

#include "compiler/LocalGpu.h"

#include "compiler/target/cuda/CudaProfile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstdlib>

#include <unistd.h>

namespace minic {

/// A device with a profile whose SMs do as much in a clock.
static llvm::StringRef relativeOf(int smVersion) {
  switch (smVersion) {
  case 80:
    return "a100";
  case 86:
  case 87:
    return "a10";
  case 89:
    return "l40s";
  case 90:
    return "h200";
  default:
    return "b200";
  }
}

/// What must match for a tuning record to be used.
static std::string tuningKeyOf(const runtime::GpuFacts &gpu) {
  return llvm::formatv("cuda cc {0}.{1} sms {2} clock {3} MHz l2 {4} KiB "
                       "memory {5:F0} GB/s mig {6}",
                       gpu.computeMajor, gpu.computeMinor, gpu.smCount,
                       gpu.smClockKHz / 1000, gpu.l2Bytes >> 10, gpu.memoryGBs,
                       gpu.isMig ? "yes" : "no");
}

std::optional<DeviceProfile>
profileOf(const runtime::GpuFacts &gpu,
          const std::map<std::string, std::string> &libraries) {
  DeviceProfile profile;
  int smVersion = 10 * gpu.computeMajor + gpu.computeMinor;
  if (!cuda::setArch(profile, cuda::archOf(smVersion))) {
    return std::nullopt;
  }
  profile.target = "cuda";
  profile.name = gpu.name;
  profile.l2Bytes = gpu.l2Bytes;
  // Copies reach about nine tenths of the peak.
  profile.memoryGBs = 0.9 * gpu.memoryGBs;
  profile.smCount = gpu.smCount;
  profile.sharedBytesPerBlock = gpu.sharedBytesPerBlock;
  profile.sharedBytesPerSm = gpu.sharedBytesPerSm;
  profile.registersPerSm = gpu.registersPerSm;
  profile.threadsPerSm = gpu.threadsPerSm;
  profile.clockMHz = double(gpu.smClockKHz) / 1000;
  DeviceProfile relative = *cuda::getCudaProfile(relativeOf(smVersion));
  double scale = profile.smCount * profile.clockMHz /
                 (relative.smCount * relative.clockMHz);
  profile.peakGflops = scale * relative.peakGflops;
  profile.tensorGflops16 = scale * relative.tensorGflops16;
  profile.tensorGflopsTf32 = scale * relative.tensorGflopsTf32;
  profile.deviceIndex = gpu.index;
  profile.deviceId = gpu.uuid.empty() ? gpu.pciBusId : gpu.uuid;
  std::vector<std::string> versions;
  for (const auto &[name, version] : libraries) {
    if (name != "oneDNN") {
      versions.push_back(name + " " + version);
    }
  }
  profile.libraries = llvm::join(versions, ", ");
  profile.isPresent = true;
  profile.tuningKey = tuningKeyOf(gpu);
  return profile;
}

/// Whether the system knows an NVIDIA device at all: a worker that looks closer
/// takes longer to start than a small model to compile.
static bool mayHaveGpu() {
  if (const char *driver = std::getenv("MINIC_CUDA_DRIVER");
      driver && *driver) {
    return true;
  }
  for (const char *path : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg",
                           "/proc/driver/nvidia/version"}) {
    if (::access(path, F_OK) == 0) {
      return true;
    }
  }
  return false;
}

std::optional<DeviceProfile> probeGpu(tune::Machine &machine, int device,
                                      std::string &error) {
  if (!mayHaveGpu()) {
    return std::nullopt;
  }
  absl::StatusOr<runtime::DeviceFacts> facts = machine.describe(/*gpus=*/true);
  if (!facts.ok()) {
    error = std::string(facts.status().message());
    return std::nullopt;
  }
  if (facts->gpus.empty()) {
    if (facts->isGpuBroken) {
      error = "the NVIDIA driver does not work: " + facts->gpuProblem;
    }
    return std::nullopt;
  }
  for (const runtime::GpuFacts &gpu : facts->gpus) {
    if (gpu.index != device) {
      continue;
    }
    std::optional<DeviceProfile> profile = profileOf(gpu, facts->libraries);
    if (!profile) {
      error = llvm::formatv("{0} has compute capability {1}.{2}, expected one "
                            "that minic generates for (8.0 or later)",
                            gpu.name, gpu.computeMajor, gpu.computeMinor);
    }
    return profile;
  }
  error = llvm::formatv("no GPU {0}, this machine has {1}", device,
                        facts->gpus.size());
  return std::nullopt;
}

} // namespace minic
