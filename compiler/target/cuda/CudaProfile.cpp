// SPDX-License-Identifier: Apache-2.0
//
// Figures are of data sheets; bandwidths are what copies reach, about nine
// tenths of the sheet's.

#include "compiler/target/cuda/CudaProfile.h"

#include "compiler/target/cuda/Registers.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

namespace minic::cuda {

namespace {

struct Device {
  llvm::StringRef key, name, arch;
  int sms;
  double clockMHz;
  int64_t l2MiB, memoryGBs, sharedKiBPerBlock, sharedKiBPerSm;
  int threadsPerSm;
  /// Flops per clock and SM: FFMA, 16-bit and tf32 tensor cores, dense.
  int ffma, tensor16, tensorTf32;
};

constexpr Device kDevices[] = {
    {"a100", "NVIDIA A100-SXM4-80GB", "sm_80", 108, 1410, 40, 1800, 163, 164,
     2048, 128, 2048, 1024},
    {"a10", "NVIDIA A10", "sm_86", 72, 1695, 6, 540, 99, 100, 1536, 256, 1024,
     512},
    {"l4", "NVIDIA L4", "sm_89", 58, 2040, 48, 270, 99, 100, 1536, 256, 1024,
     512},
    {"l40s", "NVIDIA L40S", "sm_89", 142, 2520, 96, 780, 99, 100, 1536, 256,
     1024, 512},
    {"h100", "NVIDIA H100 80GB HBM3", "sm_90a", 132, 1980, 50, 3000, 227, 228,
     2048, 256, 4096, 2048},
    {"h200", "NVIDIA H200", "sm_90a", 132, 1980, 60, 4300, 227, 228, 2048, 256,
     4096, 2048},
    {"b200", "NVIDIA B200", "sm_100a", 148, 1965, 126, 7000, 227, 228, 2048,
     256, 8192, 4096},
};

DeviceProfile toProfile(const Device &device) {
  DeviceProfile profile;
  profile.target = "cuda";
  profile.name = device.name.str();
  setArch(profile, device.arch);
  profile.l2Bytes = device.l2MiB << 20;
  profile.memoryGBs = double(device.memoryGBs);
  profile.smCount = device.sms;
  profile.sharedBytesPerBlock = device.sharedKiBPerBlock << 10;
  profile.sharedBytesPerSm = device.sharedKiBPerSm << 10;
  profile.registersPerSm = registersOfSm;
  profile.threadsPerSm = device.threadsPerSm;
  profile.clockMHz = device.clockMHz;
  double cycles = device.sms * device.clockMHz * 1e-3; // 1e9 per second
  profile.peakGflops = cycles * device.ffma;
  profile.tensorGflops16 = cycles * device.tensor16;
  profile.tensorGflopsTf32 = cycles * device.tensorTf32;
  profile.isPresent = false;
  profile.libraries = "driver and libraries unknown";
  profile.tuningKey = "profile " + device.key.str();
  return profile;
}

} // namespace

std::string profileNames() {
  return llvm::join(
      llvm::map_range(kDevices,
                      [](const Device &device) { return device.key; }),
      ", ");
}

std::optional<DeviceProfile> getCudaProfile(llvm::StringRef name) {
  for (const Device &device : kDevices) {
    if (device.key == name) {
      return toProfile(device);
    }
  }
  return std::nullopt;
}

std::optional<int> parseArch(llvm::StringRef arch) {
  // What LLVM and the assembler of this toolkit both know.
  static constexpr int kVersions[] = {80, 86, 87, 89, 90, 100, 103, 120, 121};
  int version = 0;
  bool isExact = arch.consume_back("a");
  if (!arch.consume_front("sm_") || arch.getAsInteger(10, version) ||
      !llvm::is_contained(kVersions, version) || (isExact && version < 90)) {
    return std::nullopt;
  }
  return version;
}

std::string archOf(int smVersion) {
  return "sm_" + std::to_string(smVersion) + (smVersion >= 90 ? "a" : "");
}

bool setArch(DeviceProfile &profile, llvm::StringRef arch) {
  std::string real = arch.str();
  // PTX for one architecture alone would run on no later one.
  if (arch.starts_with("compute_") && !arch.ends_with("a")) {
    real = ("sm_" + arch.drop_front(strlen("compute_"))).str();
  }
  std::optional<int> version = parseArch(real);
  if (!version) {
    return false;
  }
  profile.cpu = real;
  profile.smVersion = *version;
  profile.features = {arch.str()};
  return true;
}

void limitToArch(DeviceProfile &profile) {
  struct Limits {
    int smVersion, sharedKiB, threadsPerSm; // shared memory of one block
  };
  // CUDA's programming guide, technical specifications per compute capability.
  static constexpr Limits kLimits[] = {
      {80, 163, 2048},  {86, 99, 1536},  {87, 163, 1536},
      {89, 99, 1536},   {90, 227, 2048}, {100, 227, 2048},
      {103, 227, 2048}, {120, 99, 1536}, {121, 99, 1536}};
  bool isPtx = llvm::StringRef(profile.features.front()).starts_with("compute");
  for (const Limits &limits : kLimits) {
    if (isPtx ? limits.smVersion < profile.smVersion
              : limits.smVersion != profile.smVersion) {
      continue;
    }
    int64_t bytes = int64_t(limits.sharedKiB) << 10;
    profile.sharedBytesPerBlock = std::min(profile.sharedBytesPerBlock, bytes);
    // A block's own kilobyte belongs to the system.
    profile.sharedBytesPerSm = std::min(profile.sharedBytesPerSm, bytes + 1024);
    profile.threadsPerSm = std::min(profile.threadsPerSm, limits.threadsPerSm);
  }
}

std::optional<DeviceProfile> getArchProfile(llvm::StringRef arch) {
  DeviceProfile wanted;
  if (!setArch(wanted, arch)) {
    return std::nullopt;
  }
  const Device *best = nullptr;
  for (const Device &device : kDevices) {
    int version = *parseArch(device.arch);
    if (version <= wanted.smVersion &&
        (!best || version >= *parseArch(best->arch))) {
      best = &device;
    }
  }
  DeviceProfile profile = toProfile(*best);
  setArch(profile, arch);
  limitToArch(profile);
  return profile;
}

std::string llvmFeatures(const DeviceProfile &profile) {
  // Without the version LLVM aborts on newer instructions ("Cannot select").
  return profile.smVersion >= 103 ? "+ptx88" : "+ptx86";
}

} // namespace minic::cuda
