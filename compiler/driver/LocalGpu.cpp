// SPDX-License-Identifier: Apache-2.0
//
// Facts by the driver, peaks by the architecture.

#include "compiler/driver/LocalGpu.h"

#include "compiler/target/cuda/CudaProfile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"

#include <cmath>
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

namespace {

/// What of a GPU decides speed, in the precision that tuning keys have: who
/// knows the key alone decides as the machine does that has the GPU.
struct TunedFacts {
  int smVersion, smCount;
  int64_t clockMHz, l2KiB, memoryGBs;
};

} // namespace

static TunedFacts tunedFactsOf(const runtime::GpuFacts &gpu) {
  return {10 * gpu.computeMajor + gpu.computeMinor, gpu.smCount,
          gpu.smClockKHz / 1000, gpu.l2Bytes >> 10,
          int64_t(std::llround(gpu.memoryGBs))};
}

/// What must match for a tuning record to be used.
static std::string tuningKeyOf(const TunedFacts &facts, bool isMig) {
  return llvm::formatv("cuda cc {0}.{1} sms {2} clock {3} MHz l2 {4} KiB "
                       "memory {5} GB/s mig {6}",
                       facts.smVersion / 10, facts.smVersion % 10,
                       facts.smCount, facts.clockMHz, facts.l2KiB,
                       facts.memoryGBs, isMig ? "yes" : "no");
}

/// What tuningKeyOf was given; none where `key` is no such text.
static std::optional<TunedFacts> parseTuningKey(llvm::StringRef key) {
  static const llvm::Regex pattern(
      "^cuda cc ([0-9]{1,2})\\.([0-9]) sms ([1-9][0-9]{0,4}) clock "
      "([0-9]{1,6}) MHz l2 ([0-9]{1,7}) KiB memory ([0-9]{1,6}) GB/s mig "
      "(yes|no)$");
  llvm::SmallVector<llvm::StringRef> fields;
  if (!pattern.match(key, &fields)) {
    return std::nullopt;
  }
  auto number = [&](size_t field) { return std::stoi(fields[field].str()); };
  return TunedFacts{10 * number(1) + number(2), number(3), number(4), number(5),
                    number(6)};
}

/// Sets the facts, and the peaks that follow from them.
static void setTunedFacts(DeviceProfile &profile, const TunedFacts &facts) {
  profile.smCount = facts.smCount;
  profile.clockMHz = double(facts.clockMHz);
  profile.l2Bytes = facts.l2KiB << 10;
  // Copies reach about nine tenths of the peak.
  profile.memoryGBs = 0.9 * double(facts.memoryGBs);
  DeviceProfile relative = *cuda::getCudaProfile(relativeOf(facts.smVersion));
  double scale = profile.smCount * profile.clockMHz /
                 (relative.smCount * relative.clockMHz);
  profile.peakGflops = scale * relative.peakGflops;
  profile.tensorGflops16 = scale * relative.tensorGflops16;
  profile.tensorGflopsTf32 = scale * relative.tensorGflopsTf32;
}

bool setTuningKey(DeviceProfile &profile, const std::string &key) {
  std::optional<TunedFacts> facts = parseTuningKey(key);
  if (!facts || facts->smVersion != profile.smVersion) {
    return false;
  }
  profile.tuningKey = key;
  setTunedFacts(profile, *facts);
  return true;
}

std::optional<DeviceProfile>
profileOf(const runtime::GpuFacts &gpu,
          const std::map<std::string, std::string> &libraries) {
  DeviceProfile profile;
  TunedFacts facts = tunedFactsOf(gpu);
  if (!cuda::setArch(profile, cuda::archOf(facts.smVersion))) {
    return std::nullopt;
  }
  setTunedFacts(profile, facts);
  profile.target = "cuda";
  profile.name = gpu.name;
  profile.sharedBytesPerBlock = gpu.sharedBytesPerBlock;
  profile.sharedBytesPerSm = gpu.sharedBytesPerSm;
  profile.registersPerSm = gpu.registersPerSm;
  profile.threadsPerSm = gpu.threadsPerSm;
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
  profile.tuningKey = tuningKeyOf(facts, gpu.isMig);
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
