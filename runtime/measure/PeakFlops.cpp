// SPDX-License-Identifier: Apache-2.0
//
// PeakFlops: one loop per vector width. 12 accumulators cover two pipes of
// latency 4 to 6 and stay in the 16 registers of AVX2.

#include "runtime/measure/PeakFlops.h"

#include "runtime/device/cpu/CpuFeatures.h"

#include <chrono>
#include <immintrin.h>

namespace minic::runtime {
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

} // namespace

absl::StatusOr<PeakFlops> PeakFlops::create(int threads) {
  absl::StatusOr<ThreadTeam> team =
      ThreadTeam::create(threads, /*parallelFor=*/nullptr, /*pool=*/nullptr);
  if (!team.ok()) {
    return team.status();
  }
  PeakFlops peak;
  peak.team_ = *team;
  if (cpuHasFeature("avx512f")) {
    peak.loop_ = loopAvx512;
    peak.instructionSet_ = "avx512f";
  } else if (cpuHasFeature("avx2") && cpuHasFeature("fma")) {
    peak.loop_ = loopAvx2;
    peak.instructionSet_ = "avx2";
  } else {
    peak.loop_ = loopSse2;
    peak.instructionSet_ = "sse2";
  }
  return peak;
}

double PeakFlops::sample() const {
  using Clock = std::chrono::steady_clock;
  struct Shared {
    double (*loop)();
    double operations;
  } shared{loop_, 0};
  Clock::time_point start = Clock::now();
  team_.run(
      team_.threads(),
      [](int worker, void *data) {
        auto *shared = static_cast<Shared *>(data);
        double operations = shared->loop();
        if (worker == 0) {
          shared->operations = operations;
        }
      },
      &shared);
  std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
  return shared.operations * team_.threads() / elapsed.count();
}

} // namespace minic::runtime
