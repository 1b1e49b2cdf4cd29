// SPDX-License-Identifier: Apache-2.0
//
// onednnProfile: a CPU whose oneDNN has bf16, whatever this machine's has.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_ONEDNN_ONEDNNPROFILE_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_ONEDNN_ONEDNNPROFILE_H

#include "compiler/target/cpu/CpuProfile.h"

namespace minic::cpu {

inline DeviceProfile onednnProfile(int threads) {
  DeviceProfile profile = getCpuProfile(threads);
  profile.onednnGflops16 = 100;
  return profile;
}

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_ONEDNN_ONEDNNPROFILE_H
