// SPDX-License-Identifier: Apache-2.0
//
// CPU detection: LLVM knows names and features, CPUID the caches.

#include "compiler/target/cpu/CpuProfile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TargetParser/Host.h"

#include <cpuid.h>
#include <cstring>

namespace minic::cpu {

namespace {

constexpr const char *v3Features[] = {"avx2", "fma",   "f16c",  "bmi",
                                      "bmi2", "lzcnt", "movbe", "popcnt"};
constexpr const char *v4Features[] = {"avx512f", "avx512bw", "avx512cd",
                                      "avx512dq", "avx512vl"};

struct CpuId {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  explicit CpuId(unsigned leaf, unsigned subleaf = 0) {
    __get_cpuid_count(leaf, subleaf, &eax, &ebx, &ecx, &edx);
  }
};

bool isAmd() {
  CpuId vendor(0);
  return vendor.ecx == 0x444d4163; // "cAMD" of "AuthenticAMD"
}

/// Data cache sizes by level. AMD describes them in leaf 0x8000001d in the
/// form of Intel's leaf 4.
void readCaches(DeviceProfile &profile) {
  profile.l1Bytes = 32 << 10;
  profile.l2Bytes = 1 << 20;
  profile.l3Bytes = 16 << 20;
  unsigned leaf = isAmd() ? 0x8000001d : 4;
  for (unsigned i = 0; i != 8; ++i) {
    CpuId cache(leaf, i);
    unsigned type = cache.eax & 31, level = (cache.eax >> 5) & 7;
    if (type == 0) {
      break;
    }
    if (type == 2) {
      continue; // instructions
    }
    int64_t ways = (cache.ebx >> 22) + 1;
    int64_t partitions = ((cache.ebx >> 12) & 0x3ff) + 1;
    int64_t line = (cache.ebx & 0xfff) + 1;
    int64_t bytes = ways * partitions * line * (int64_t(cache.ecx) + 1);
    if (level == 1) {
      profile.l1Bytes = bytes;
    } else if (level == 2) {
      profile.l2Bytes = bytes;
    } else if (level == 3) {
      profile.l3Bytes = bytes;
    }
  }
}

std::string readBrand() {
  if (CpuId(0x80000000).eax < 0x80000004) {
    return "x86-64 CPU";
  }
  char brand[49] = {};
  for (unsigned i = 0; i != 3; ++i) {
    CpuId part(0x80000002 + i);
    std::memcpy(brand + 16 * i, &part.eax, 4);
    std::memcpy(brand + 16 * i + 4, &part.ebx, 4);
    std::memcpy(brand + 16 * i + 8, &part.ecx, 4);
    std::memcpy(brand + 16 * i + 12, &part.edx, 4);
  }
  return llvm::StringRef(brand).trim().str();
}

struct Signature {
  unsigned family, model, stepping;
};

/// With the extended fields added in.
Signature readSignature() {
  unsigned eax = CpuId(1).eax;
  unsigned family = (eax >> 8) & 15, model = (eax >> 4) & 15;
  if (family == 15) {
    family += (eax >> 20) & 255;
  }
  if (family == 6 || family >= 15) {
    model += ((eax >> 16) & 15) << 4;
  }
  return {family, model, eax & 15};
}

template <size_t size>
bool hasAll(const llvm::StringMap<bool> &host,
            const char *const (&names)[size]) {
  return llvm::all_of(names,
                      [&](const char *name) { return host.lookup(name); });
}

template <size_t size>
void addAll(DeviceProfile &profile, const char *const (&names)[size]) {
  for (const char *name : names) {
    profile.features.push_back(std::string("+") + name);
  }
}

/// What LLVM calls this CPU. It guesses by features where it does not know the
/// model, as of a virtual machine, and then takes no notice of AMX.
std::string hostName(const llvm::StringMap<bool> &host) {
  std::string name = llvm::sys::getHostCPUName().str();
  bool isGuess = host.lookup("amx-tile") &&
                 !llvm::StringRef(name).ends_with("rapids") &&
                 !llvm::StringRef(name).starts_with("graniterapids");
  return isGuess ? "sapphirerapids" : name;
}

/// Brand strings of virtual machines tell no generation.
std::string nameOf(const Signature &signature) {
  return readBrand() + " (family " + std::to_string(signature.family) +
         " model " + std::to_string(signature.model) + ")";
}

/// Peaks of one core at 3.5 GHz: 112 GFLOP/s for a Zen 4, 224 for others with
/// AVX-512. Measured were 117 (docs/measurements/2026-11-21-cpu.md), 235 on a
/// Zen 5 and 215 on a Xeon with AMX. Families count cycles at the same clock,
/// so it weighs arithmetic against memory and against what oneDNN is estimated
/// to take; what that decides is on docs/measurements/2026-11-28-constants.md.
void setPeaks(DeviceProfile &profile, const llvm::StringMap<bool> &host,
              llvm::StringRef cpu, bool isWide) {
  constexpr double gigahertz = 3.5;
  // Zen 4 executes 512 bits in two halves.
  profile.peakGflops = gigahertz * (isWide && cpu != "znver4" ? 64 : 32);
  // One row by 4096x4096 reads its weights at 26 GB/s in f32 and 23 in bf16 on
  // a Zen 4 (docs/measurements/2026-11-21-cpu.md), and at 23 on a Xeon
  // (docs/measurements/2026-11-26-amx.md), on one thread.
  profile.memoryGBs = 25;
  // One core of Zen 5 gets 78 to 90 GB/s, one of Emerald Rapids 20, as fast as
  // it streams 64 MB of weights.
  profile.l3GBs = isAmd() ? 75 : 20;
  if (profile.has("avx512bf16")) {
    // Per cycle AMD multiplies as many pairs as f32 elements, measured on Zen 4
    // (118 GFLOP/s of f32 and 236 of pairs) and Zen 5 (235 and 460), Intel a
    // quarter (215 and 107 on one with AMX).
    profile.pairGflops = profile.peakGflops * (isAmd() ? 2 : 0.5);
  }
  // oneDNN has bf16 from AVX-512 on, and widens where there is no instruction
  // for it. AMX has a peak of 2550, of which oneDNN 2.6.3 reaches half: 1281
  // with 256x1024x1024, 1147 with 1024x1024x1024.
  if (host.lookup("avx512bw")) {
    profile.onednnGflops16 =
        host.lookup("amx-bf16")
            ? 1300
            : std::max(profile.pairGflops, 0.5 * profile.peakGflops);
  }
}

} // namespace

DeviceProfile getCpuProfile(int threads, llvm::StringRef isa) {
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  std::string cpu = hostName(host);
  Signature signature = readSignature();
  DeviceProfile profile;
  profile.target = "cpu";
  profile.threads = threads;
  readCaches(profile);

  bool native = isa.empty();
  bool hasV3 = native ? hasAll(host, v3Features) : true;
  bool hasV4 = native ? hasV3 && hasAll(host, v4Features) : isa == "v4";
  profile.cpu = hasV4 ? "x86-64-v4" : hasV3 ? "x86-64-v3" : "x86-64";
  profile.name = native ? nameOf(signature) : profile.cpu + " (generic)";
  profile.tuneCpu = native ? cpu : profile.cpu;
  if (hasV3) {
    addAll(profile, v3Features);
  }
  if (hasV4) {
    addAll(profile, v4Features);
  }
  if (native && hasV4 && host.lookup("avx512bf16")) {
    profile.features.push_back("+avx512bf16");
    if (host.lookup("amx-tile") && host.lookup("amx-bf16")) {
      profile.features.insert(profile.features.end(),
                              {"+amx-tile", "+amx-bf16"});
    }
  }
  // A key says nothing of what products of i8 use: a model has it or not, and
  // records of other dtypes stay as they are.
  std::string keyFeatures = llvm::join(profile.features, "");
  if (native && hasV4 && host.lookup("avx512vnni")) {
    profile.features.push_back("+avx512vnni");
    if (profile.has("amx-tile") && host.lookup("amx-int8")) {
      profile.features.push_back("+amx-int8");
    }
  }
  setPeaks(profile, host, cpu, hasV4);
  profile.joinUs = threads > 1 ? kUnknownJoinUs : 0;
  profile.tuningKey =
      (isAmd() ? "amd " : "x86 ") + std::to_string(signature.family) + "." +
      std::to_string(signature.model) + "." +
      std::to_string(signature.stepping) + " " + profile.cpu + " " +
      keyFeatures + " l1=" + std::to_string(profile.l1Bytes) +
      " l2=" + std::to_string(profile.l2Bytes) +
      " l3=" + std::to_string(profile.l3Bytes) +
      " threads=" + std::to_string(threads);
  return profile;
}

} // namespace minic::cpu
