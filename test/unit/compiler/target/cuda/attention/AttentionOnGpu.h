// SPDX-License-Identifier: Apache-2.0
//
// AttentionOnGpu: a causal attention of two heads by a kernel on a GPU, and
// what it must be.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONONGPU_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONONGPU_H

#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/testing/GpuOrSkip.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace minic::cuda {

inline constexpr int64_t kHeads = 2, kLength = 100, kDepth = 64,
                         kCount = kHeads * kLength * kDepth;

/// bf16 elements, of which a float holds two.
class Halves {
public:
  explicit Halves(unsigned seed) : words(size_t(kCount / 2)) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-2, 2);
    for (int64_t i = 0; i != kCount; ++i) {
      set(i, uniform(random));
    }
  }

  double get(int64_t i) const {
    uint32_t both = std::bit_cast<uint32_t>(words[size_t(i / 2)]);
    return double(
        std::bit_cast<float>(i % 2 ? both & 0xffff0000u : both << 16));
  }
  /// Cut off.
  void set(int64_t i, float value) {
    auto *halves = reinterpret_cast<char *>(words.data());
    auto half = uint16_t(std::bit_cast<uint32_t>(value) >> 16);
    std::memcpy(halves + 2 * i, &half, 2);
  }

  std::vector<float> words;
};

/// Which kernel, of blocks of 128 threads for 64 rows.
struct AttentionKernel {
  const char *ptx, *isa, *entry;
  int64_t sharedBytes;
};

class AttentionOnGpu : public testing::GpuOrSkip {
protected:
  void isRight(const AttentionKernel &kernel) {
    Halves got = run(kernel);
    for (int64_t h = 0; !IsSkipped() && h != kHeads; ++h) {
      for (int64_t t = 0; t != kLength; ++t) {
        for (int64_t e = 0; e != kDepth; ++e) {
          double magnitude, want = expected(h, t, e, magnitude);
          ASSERT_NEAR(got.get(at(h, t, e)), want,
                      0x1p-8 * (std::abs(want) + magnitude) + 1e-5)
              << h << ", " << t << ", " << e;
        }
      }
    }
  }
  /// A value of a key that some queries leave out.
  void leavesOut(const AttentionKernel &kernel) {
    v.set(at(1, 50, 7), std::nanf(""));
    Halves got = run(kernel);
    for (int64_t t = 0; !IsSkipped() && t != kLength; ++t) {
      EXPECT_EQ(std::isnan(got.get(at(1, t, 7))), t >= 50) << t;
      EXPECT_FALSE(std::isnan(got.get(at(1, t, 6)))) << t;
    }
  }

private:
  Halves q{1}, k{2}, v{3};

  static void skip(const absl::Status &why) { GTEST_SKIP() << why; }
  /// Skips where the GPU is not one that runs the kernel.
  Halves run(const AttentionKernel &kernel) {
    using namespace ::minic::testing;
    const auto *text = reinterpret_cast<const std::byte *>(kernel.ptx);
    TestArtifact artifact = cudaArtifact();
    setBinary(artifact, format::BinaryKind::ptx,
              {text, text + std::strlen(kernel.ptx)});
    artifact.variant().isa = {kernel.isa};
    for (const char *name : {"q", "k", "v"}) {
      artifact.input(name, {kCount / 2});
    }
    artifact.output("y", {kCount / 2});
    cudaLaunch(
        artifact, kernel.entry, 4 * 128,
        {inputAddress(0), inputAddress(1), inputAddress(2), outputAddress(0)},
        {})
        .shared_bytes = uint32_t(kernel.sharedBytes);
    Halves result(4);
    LoadedArtifact loaded(artifact);
    if (absl::IsFailedPrecondition(loaded.status())) {
      skip(loaded.status());
      return result;
    }
    EXPECT_TRUE(loaded.status().ok()) << loaded.status();
    if (!loaded.status().ok()) {
      return result;
    }
    DeviceFloats dq(*loaded, q.words), dk(*loaded, k.words),
        dv(*loaded, v.words), dy(*loaded, result.words);
    auto execution = loaded.execution();
    EXPECT_TRUE(execution.ok()) << execution.status();
    if (execution.ok()) {
      void *callers[] = {dq.data(), dk.data(), dv.data(), dy.data()};
      EXPECT_TRUE((*execution)->run(callers).ok());
      absl::Status status = (*execution)->synchronize();
      EXPECT_TRUE(status.ok()) << status;
    }
    result.words = dy.read();
    return result;
  }

  /// Result (h, t, e), of a causal attention; `magnitude`: of what is summed.
  double expected(int64_t h, int64_t t, int64_t e, double &magnitude) {
    double sum = 0, value = 0;
    magnitude = 0;
    for (int64_t s = 0; s <= t; ++s) {
      double score = 0;
      for (int64_t d = 0; d != kDepth; ++d) {
        score += q.get(at(h, t, d)) * k.get(at(h, s, d));
      }
      double weight = std::exp(score / 8);
      sum += weight;
      value += weight * v.get(at(h, s, e));
      magnitude += weight * std::abs(v.get(at(h, s, e)));
    }
    magnitude /= sum;
    return value / sum;
  }
  static int64_t at(int64_t h, int64_t t, int64_t d) {
    return (h * kLength + t) * kDepth + d;
  }
};

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONONGPU_H
