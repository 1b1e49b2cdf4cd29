// SPDX-License-Identifier: Apache-2.0
//
// The table against the compiler's own detection.

#include "runtime/device/cpu/CpuFeatures.h"

#include <gtest/gtest.h>

namespace minic::runtime {
namespace {

#define EXPECT_AGREES(name)                                                    \
  EXPECT_EQ(cpuHasFeature(name), bool(__builtin_cpu_supports(name))) << name

TEST(CpuFeaturesTest, agreesWithTheCompiler) {
  __builtin_cpu_init();
  EXPECT_AGREES("sse2");
  EXPECT_AGREES("sse4.2");
  EXPECT_AGREES("popcnt");
  EXPECT_AGREES("avx");
  EXPECT_AGREES("avx2");
  EXPECT_AGREES("fma");
  EXPECT_AGREES("f16c");
  EXPECT_AGREES("bmi");
  EXPECT_AGREES("bmi2");
  EXPECT_AGREES("lzcnt");
  EXPECT_AGREES("movbe");
  EXPECT_AGREES("avx512f");
  EXPECT_AGREES("avx512bw");
  EXPECT_AGREES("avx512cd");
  EXPECT_AGREES("avx512dq");
  EXPECT_AGREES("avx512vl");
  EXPECT_AGREES("avx512vnni");
  EXPECT_AGREES("avx512bf16");
  EXPECT_AGREES("avx512fp16");
  EXPECT_AGREES("avxvnni");
  EXPECT_AGREES("vpclmulqdq");
}

TEST(CpuFeaturesTest, lacksWhatItDoesNotKnow) {
  EXPECT_FALSE(cpuHasFeature("avx512quantum"));
  EXPECT_FALSE(cpuHasFeature(""));
}

} // namespace
} // namespace minic::runtime
