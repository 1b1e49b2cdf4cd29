// SPDX-License-Identifier: Apache-2.0
//
// One loop per instruction set. 12 accumulators cover two pipes of latency 4 to
// 6 and stay in the 16 registers of AVX2.

#include "runtime/measure/PeakLoops.h"

#include "runtime/device/cpu/CpuFeatures.h"

#include <cpuid.h>
#include <cstdint>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace minic::runtime {

const char *toString(PeakDtype dtype) {
  return dtype == PeakDtype::f32   ? "f32"
         : dtype == PeakDtype::f16 ? "f16"
                                   : "bf16";
}

namespace {

constexpr int accumulators = 12;
constexpr int repetitions = 200'000;

/// Read and written so that the compiler knows neither operands nor that
/// nobody wants the result.
volatile float factor = 0.999f, addend = 0.001f;
thread_local volatile float sink;

constexpr double operations(int lanes) {
  return 2.0 * lanes * accumulators * repetitions;
}

__attribute__((target("avx512f"))) double loopAvx512() {
  __m512 a = _mm512_set1_ps(factor), b = _mm512_set1_ps(addend);
  __m512 sums[accumulators];
  for (int i = 0; i < accumulators; ++i) {
    sums[i] = _mm512_set1_ps(float(i));
  }
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (__m512 &sum : sums) {
      sum = _mm512_fmadd_ps(sum, a, b);
    }
  }
  for (__m512 &sum : sums) {
    sink = _mm512_cvtss_f32(sum);
  }
  return operations(16);
}

__attribute__((target("avx2,fma"))) double loopAvx2() {
  __m256 a = _mm256_set1_ps(factor), b = _mm256_set1_ps(addend);
  __m256 sums[accumulators];
  for (int i = 0; i < accumulators; ++i) {
    sums[i] = _mm256_set1_ps(float(i));
  }
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (__m256 &sum : sums) {
      sum = _mm256_fmadd_ps(sum, a, b);
    }
  }
  for (__m256 &sum : sums) {
    sink = _mm256_cvtss_f32(sum);
  }
  return operations(8);
}

double loopSse2() {
  __m128 a = _mm_set1_ps(factor), b = _mm_set1_ps(addend);
  __m128 sums[accumulators];
  for (int i = 0; i < accumulators; ++i) {
    sums[i] = _mm_set1_ps(float(i));
  }
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (__m128 &sum : sums) {
      sum = _mm_add_ps(_mm_mul_ps(sum, a), b);
    }
  }
  for (__m128 &sum : sums) {
    sink = _mm_cvtss_f32(sum);
  }
  return operations(4);
}

/// Two products a lane of f32.
__attribute__((target("avx512f,avx512bf16"))) double loopAvx512Bf16() {
  // 0.996 and 0.001 in bf16, twice each.
  static volatile int factors = 0x3f7f3f7f, others = 0x3a833a83;
  auto a = (__m512bh)_mm512_set1_epi32(factors);
  auto b = (__m512bh)_mm512_set1_epi32(others);
  __m512 sums[accumulators];
  for (int i = 0; i < accumulators; ++i) {
    sums[i] = _mm512_set1_ps(float(i));
  }
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (__m512 &sum : sums) {
      sum = _mm512_dpbf16_ps(sum, a, b);
    }
  }
  for (__m512 &sum : sums) {
    sink = _mm512_cvtss_f32(sum);
  }
  return operations(32);
}

__attribute__((target("avx512f,avx512fp16"))) double loopAvx512Fp16() {
  __m512h a = _mm512_set1_ph(_Float16(factor));
  __m512h b = _mm512_set1_ph(_Float16(addend));
  __m512h sums[accumulators];
  for (int i = 0; i < accumulators; ++i) {
    sums[i] = _mm512_set1_ph(_Float16(i));
  }
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (__m512h &sum : sums) {
      sum = _mm512_fmadd_ph(sum, a, b);
    }
  }
  for (__m512h &sum : sums) {
    sink = float(_mm512_cvtsh_h(sum));
  }
  return operations(32);
}

/// Two tiles by two, as a kernel has them. Their data must not be zero: an
/// Intel Xeon of 2025 clocks 25 % higher on zeros.
__attribute__((target("amx-tile,amx-bf16"))) double loopAmxBf16() {
  constexpr int tileRepetitions = 20'000;
  struct alignas(64) {
    uint8_t palette = 1, startRow = 0, reserved[14] = {};
    uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } config;
  alignas(64) uint16_t values[16 * 32];
  uint32_t random = 1;
  for (uint16_t &value : values) {
    random = random * 1664525 + 1013904223;
    // Of either sign, 0.5 to 1.
    value = uint16_t(0x3f00 | (random >> 16 & 0x807f));
  }
  alignas(64) float result[16 * 16];
  _tile_loadconfig(&config);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_loadd(4, values, 64);
  _tile_loadd(5, values, 64);
  _tile_loadd(6, values, 64);
  _tile_loadd(7, values, 64);
  for (int repetition = 0; repetition < tileRepetitions; ++repetition) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, result, 64);
  _tile_release();
  sink = result[0];
  return 2.0 * 16 * 16 * 32 * 4 * tileRepetitions;
}

/// Tile registers are given to a process that asks for them, if no thread of it
/// has a signal stack that is too small for them.
bool mayUseTiles() {
  constexpr int requestPermission = 0x1023, tileData = 18; // asm/prctl.h
  uint32_t eax, ebx, ecx, edx;
  constexpr uint32_t amxBf16 = 1u << 22, amxTile = 1u << 24;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) &&
         (edx & amxBf16) != 0 && (edx & amxTile) != 0 &&
         syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

} // namespace

std::vector<PeakLoop> peakLoops(PeakDtype dtype) {
  std::vector<PeakLoop> loops;
  if (cpuHasFeature("avx512f")) {
    loops.push_back({"avx512f", loopAvx512});
  } else if (cpuHasFeature("avx2") && cpuHasFeature("fma")) {
    loops.push_back({"avx2", loopAvx2});
  } else {
    loops.push_back({"sse2", loopSse2});
  }
  if (dtype == PeakDtype::bf16 && cpuHasFeature("avx512bf16")) {
    loops.push_back({"avx512bf16", loopAvx512Bf16});
  }
  if (dtype == PeakDtype::bf16 && mayUseTiles()) {
    loops.push_back({"amx-bf16", loopAmxBf16});
  }
  if (dtype == PeakDtype::f16 && cpuHasFeature("avx512fp16")) {
    loops.push_back({"avx512fp16", loopAvx512Fp16});
  }
  return loops;
}

} // namespace minic::runtime
