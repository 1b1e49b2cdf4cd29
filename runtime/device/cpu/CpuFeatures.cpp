// SPDX-License-Identifier: Apache-2.0
//
// A table of CPUID bits.

#include "runtime/device/cpu/CpuFeatures.h"

#include <cpuid.h>

#include <algorithm>
#include <cstdint>

namespace minic::runtime {

namespace {

enum Register { eax, ebx, ecx, edx };

/// Register state that the operating system must save (bits of XCR0).
enum State : uint64_t {
  none = 0,
  ymm = 0x6,  // SSE and AVX state
  zmm = 0xe6, // and opmask, upper halves, upper registers
  tiles = 0x60000,
};

struct Feature {
  absl::string_view name;
  uint32_t leaf, subleaf;
  Register reg;
  int bit;
  State state;
};

// Bits as in the "CPUID" entry of Intel's SDM, volume 2, and AMD's APM,
// volume 3, appendix E.
constexpr Feature kFeatures[] = {
    {"cx8", 1, 0, edx, 8, none},
    {"cmov", 1, 0, edx, 15, none},
    {"mmx", 1, 0, edx, 23, none},
    {"fxsr", 1, 0, edx, 24, none},
    {"sse", 1, 0, edx, 25, none},
    {"sse2", 1, 0, edx, 26, none},
    {"sse3", 1, 0, ecx, 0, none},
    {"pclmul", 1, 0, ecx, 1, none},
    {"ssse3", 1, 0, ecx, 9, none},
    {"fma", 1, 0, ecx, 12, ymm},
    {"cx16", 1, 0, ecx, 13, none},
    {"sse4.1", 1, 0, ecx, 19, none},
    {"sse4.2", 1, 0, ecx, 20, none},
    {"crc32", 1, 0, ecx, 20, none},
    {"movbe", 1, 0, ecx, 22, none},
    {"popcnt", 1, 0, ecx, 23, none},
    {"aes", 1, 0, ecx, 25, none},
    {"xsave", 1, 0, ecx, 26, none},
    {"avx", 1, 0, ecx, 28, ymm},
    {"f16c", 1, 0, ecx, 29, ymm},
    {"bmi", 7, 0, ebx, 3, none},
    {"avx2", 7, 0, ebx, 5, ymm},
    {"bmi2", 7, 0, ebx, 8, none},
    {"avx512f", 7, 0, ebx, 16, zmm},
    {"avx512dq", 7, 0, ebx, 17, zmm},
    {"adx", 7, 0, ebx, 19, none},
    {"avx512ifma", 7, 0, ebx, 21, zmm},
    {"avx512cd", 7, 0, ebx, 28, zmm},
    {"avx512bw", 7, 0, ebx, 30, zmm},
    {"avx512vl", 7, 0, ebx, 31, zmm},
    {"avx512vbmi", 7, 0, ecx, 1, zmm},
    {"avx512vbmi2", 7, 0, ecx, 6, zmm},
    {"gfni", 7, 0, ecx, 8, none},
    {"vaes", 7, 0, ecx, 9, ymm},
    {"vpclmulqdq", 7, 0, ecx, 10, ymm},
    {"avx512vnni", 7, 0, ecx, 11, zmm},
    {"avx512bitalg", 7, 0, ecx, 12, zmm},
    {"avx512vpopcntdq", 7, 0, ecx, 14, zmm},
    {"avx512vp2intersect", 7, 0, edx, 8, zmm},
    {"amx-bf16", 7, 0, edx, 22, tiles},
    {"avx512fp16", 7, 0, edx, 23, zmm},
    {"amx-tile", 7, 0, edx, 24, tiles},
    {"amx-int8", 7, 0, edx, 25, tiles},
    {"avxvnni", 7, 1, eax, 4, ymm},
    {"avx512bf16", 7, 1, eax, 5, zmm},
    {"avxifma", 7, 1, eax, 23, ymm},
    {"avxvnniint8", 7, 1, edx, 4, ymm},
    {"avxneconvert", 7, 1, edx, 5, ymm},
    {"sahf", 0x80000001, 0, ecx, 0, none},
    {"lzcnt", 0x80000001, 0, ecx, 5, none},
    {"64bit", 0x80000001, 0, edx, 29, none},
};

/// Registers the operating system saves; zero without XGETBV.
uint64_t enabledState() {
  uint32_t regs[4];
  constexpr uint32_t osxsave = 1u << 27;
  if (!__get_cpuid(1, &regs[0], &regs[1], &regs[2], &regs[3]) ||
      (regs[ecx] & osxsave) == 0) {
    return 0;
  }
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

} // namespace

bool cpuHasFeature(absl::string_view name) {
  for (const Feature &feature : kFeatures) {
    if (feature.name != name) {
      continue;
    }
    uint32_t regs[4];
    return __get_cpuid_count(feature.leaf, feature.subleaf, &regs[0], &regs[1],
                             &regs[2], &regs[3]) &&
           (regs[feature.reg] >> feature.bit & 1) &&
           (enabledState() & feature.state) == feature.state;
  }
  return false;
}

std::vector<std::string> cpuFeatures() {
  std::vector<std::string> names;
  for (const Feature &feature : kFeatures) {
    if (cpuHasFeature(feature.name)) {
      names.emplace_back(feature.name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace minic::runtime
