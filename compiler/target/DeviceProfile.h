// SPDX-License-Identifier: Apache-2.0
//
// DeviceProfile: the facts about a device that code generation, estimates and
// the tuning key use.

#ifndef MINIC_COMPILER_TARGET_DEVICEPROFILE_H
#define MINIC_COMPILER_TARGET_DEVICEPROFILE_H

#include <cstdint>
#include <string>
#include <vector>

namespace minic {

struct DeviceProfile {
  /// "cpu" or "cuda".
  std::string target;
  /// For people: "AMD EPYC 9xx4 (Zen 4)".
  std::string name;
  /// LLVM CPU name to generate for, for example "x86-64-v4" or "znver4".
  std::string cpu;
  /// LLVM feature names beyond `cpu`, for example "+avx512bf16".
  std::vector<std::string> features;
  int64_t l1Bytes = 0, l2Bytes = 0, l3Bytes = 0;
  /// Threads one run uses; part of the tuning key.
  int threads = 1;
  /// Rough peaks for estimates only: f32 GFLOP/s of one core, GB/s of memory.
  double peakGflops = 0, memoryGBs = 0;
  /// Canonical text of what must match for a tuning record to be used
  /// (CPUID family/model/stepping, ISA, caches, threads); nothing measured.
  std::string tuningKey;

  bool has(const std::string &feature) const;
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_DEVICEPROFILE_H
