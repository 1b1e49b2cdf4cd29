// SPDX-License-Identifier: Apache-2.0
//
// AmxHost: tests that run code for amxProfile(), where this machine can.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_AMX_AMXHOST_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_AMX_AMXHOST_H

#include "runtime/device/cpu/CpuFeatures.h"
#include "runtime/device/cpu/TileState.h"
#include "test/unit/compiler/target/cpu/gemm_amx/AmxProfile.h"

#include "gtest/gtest.h"

namespace minic::cpu {

class AmxHost : public testing::Test {
protected:
  void SetUp() override {
    if (absl::Status tiles = runtime::requestTileState(); !tiles.ok()) {
      GTEST_SKIP() << tiles.message();
    }
    for (const char *name :
         {"amx-bf16", "avx512bf16", "amx-int8", "avx512vnni"}) {
      if (!runtime::cpuHasFeature(name)) {
        GTEST_SKIP() << "this CPU lacks '" << name << "'";
      }
    }
  }
};

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_AMX_AMXHOST_H
