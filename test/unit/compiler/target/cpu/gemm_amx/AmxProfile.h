// SPDX-License-Identifier: Apache-2.0
//
// AmxProfile: a CPU with AMX, whatever machine tests run on.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_AMX_AMXPROFILE_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_AMX_AMXPROFILE_H

#include "compiler/target/cpu/CpuProfile.h"

namespace minic::cpu {

inline DeviceProfile amxProfile(int threads = 1) {
  DeviceProfile profile = getCpuProfile(threads, "v4");
  profile.features.insert(
      profile.features.end(),
      {"+avx512bf16", "+avx512vnni", "+amx-tile", "+amx-bf16", "+amx-int8"});
  return profile;
}

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_AMX_AMXPROFILE_H
