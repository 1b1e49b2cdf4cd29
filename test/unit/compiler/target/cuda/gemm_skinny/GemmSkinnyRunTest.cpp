// SPDX-License-Identifier: Apache-2.0
//
// Kernels of gemm_skinny run by the interpreter and compared with sums in
// double: every schedule, tails of M, N and K, splits, epilogues, layouts.

#include "test/unit/compiler/target/cuda/GatedProblem.h"
#include "test/unit/compiler/target/cuda/gemm_skinny/SkinnyOffer.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include <cmath>

using namespace mlir;

namespace minic::cuda {
namespace {

struct Problem {
  int64_t m, n, k;
  std::string dtype = "bf16";
  bool kFirst = false; // the weights are [K, N]
};

/// y = relu(x W^T + b) + r, or without b for [K, N] weights.
void check(const Problem &p, const SkinnySchedule &schedule,
           const std::string &arch = "sm_90a") {
  SCOPED_TRACE(std::to_string(p.m) + "x" + std::to_string(p.n) + "x" +
               std::to_string(p.k) + " " + p.dtype + " " + toString(schedule));
  std::string x = tensor({p.m, p.k}, p.dtype), b = tensor({p.n}, p.dtype),
              y = tensor({p.m, p.n}, p.dtype),
              w = p.kFirst ? tensor({p.k, p.n}, p.dtype)
                           : tensor({p.n, p.k}, p.dtype);
  std::string product =
      p.kFirst ? "%d = graph.matmul %0, %1 : (" + x + ", " + w + ") -> " + y +
                     "\n%l = graph.add %d, %2 : (" + y + ", " + b + ") -> " + y
               : "%l = graph.linear %0, %1, %2 : (" + x + ", " + w + ", " + b +
                     ") -> " + y;
  InterpretedFusion run({x, w, b, y}, y,
                        product + "\n%r = graph.relu %l : " + y +
                            "\n%s = graph.add %r, %3 : (" + y + ", " + y +
                            ") -> " + y + "\nkernel.yield %s : " + y);
  DeviceProfile profile = *getArchProfile(arch);
  ASSERT_NO_FATAL_FAILURE(
      run.run(GemmSkinnyFamily(), offerSkinny(run.fusion, schedule), profile));
  ASSERT_EQ(run.resources.size(), 1u);
  int bad = 0;
  for (int64_t at = 0; at != p.m * p.n; ++at) {
    double sum = 0, size = 0;
    int64_t m = at / p.n, n = at % p.n;
    for (int64_t i = 0; i != p.k; ++i) {
      double product = run.inputs[0].get(m * p.k + i) *
                       run.inputs[1].get(p.kFirst ? i * p.n + n : n * p.k + i);
      sum += product;
      size += std::abs(product);
    }
    double expected =
        std::max(sum + run.inputs[2].get(n), 0.0) + run.inputs[3].get(at);
    double products = schedule.math == SkinnyMath::MmaTf32 ? 1e-3 : 3e-6;
    double tolerance = products * (size + 1) +
                       run.results[0].roundoff() * (std::abs(expected) + 1e-3);
    double found = run.results[0].get(at);
    if (!(std::abs(found - expected) <= tolerance) && ++bad < 4) {
      ADD_FAILURE() << "at " << m << ", " << n << ": " << found
                    << " instead of " << expected;
    }
  }
  EXPECT_EQ(bad, 0);
}

void checkGated(const GatedProblem &problem, const SkinnySchedule &schedule) {
  SCOPED_TRACE(toString(schedule));
  InterpretedFusion run(problem.arguments(), problem.result(), problem.body());
  DeviceProfile profile = *getArchProfile("sm_90a");
  ASSERT_NO_FATAL_FAILURE(
      run.run(GemmSkinnyFamily(), offerSkinny(run.fusion, schedule), profile));
  problem.check(run.inputs, run.results[0]);
}

/// Two columns of sums make one of results.
TEST(GemmSkinnyRun, GatedUnits) {
  checkGated({1, 32, 512}, mma(16, 4, 1, 4));
  checkGated({9, 20, 96}, mma(32, 2, 1, 2));
  checkGated({3, 5, 104}, mma(16, 2, 1, 1)); // one result at a time
  checkGated({4, 24, 512}, mma(16, 2, 3, 2, true));
  SkinnySchedule clustered = mma(16, 2, 2, 2);
  clustered.clustered = true;
  checkGated({1, 16, 512}, clustered);
  checkGated({2, 7, 130, "f32"}, with(SkinnyMath::Ffma, 2, 2, 1, 1));
  checkGated({1, 12, 512, "f32"}, with(SkinnyMath::Ffma, 4, 2, 1, 1));
}

TEST(GemmSkinnyRun, Rows) {
  for (int64_t m : {1, 2, 7, 8, 9, 16, 17, 32}) {
    check({m, 32, 128}, mma(16, 2, 1, 2));
  }
}

TEST(GemmSkinnyRun, Schedules) {
  check({1, 64, 512}, mma(16, 4, 1, 4));
  check({1, 64, 512}, mma(32, 1, 1, 2));
  check({4, 64, 512}, mma(32, 2, 1, 4, true));
  check({4, 64, 1024}, mma(16, 1, 1, 4, true)); // a loop
  check({4, 48, 1024}, mma(16, 2, 3, 2, true)); // warps differ by a batch
  check({4, 48, 64}, mma(16, 8, 1, 1));         // warps without any
}

TEST(GemmSkinnyRun, Tails) {
  check({3, 17, 96}, mma(16, 2, 1, 2));
  check({3, 21, 104}, mma(16, 2, 1, 1)); // K by 8
  check({5, 33, 100}, mma(32, 2, 1, 2)); // K by 4: padded weights
  check({5, 18, 75}, mma(16, 2, 1, 1));  // an odd K
  check({1, 18, 75}, mma(16, 1, 1, 1));
  check({2, 16, 7}, mma(16, 1, 1, 1));
  check({2, 1, 8}, mma(16, 4, 1, 1));
  check({2, 3, 1}, mma(16, 1, 1, 1));
}

TEST(GemmSkinnyRun, Split) {
  check({1, 32, 512}, mma(16, 2, 2, 2));
  check({16, 20, 512}, mma(16, 2, 4, 2, true));
  check({32, 40, 300}, mma(32, 1, 3, 1));
}

SkinnySchedule copied(SkinnySchedule schedule, int64_t stages) {
  schedule.stages = stages;
  return schedule;
}

TEST(GemmSkinnyRun, WeightsInSharedMemory) {
  check({1, 64, 512}, copied(mma(16, 4, 1, 4), 1)); // all at once
  check({4, 64, 512}, copied(mma(32, 2, 1, 2, true), 4));
  check({4, 64, 1024}, copied(mma(16, 1, 1, 4, true), 2)); // a ring
  check({4, 48, 1024}, copied(mma(16, 2, 3, 2, true), 2)); // uneven
  check({9, 48, 1024}, copied(mma(16, 4, 1, 2), 3));
  check({5, 33, 100}, copied(mma(32, 2, 1, 1), 1)); // tails of N and K
  check({5, 18, 75}, copied(mma(16, 1, 1, 1), 2));
  check({3, 12, 512, "f32"}, copied(with(SkinnyMath::Ffma, 4, 2, 1, 1), 2));
  check({3, 32, 128, "f32"}, copied(with(SkinnyMath::MmaTf32, 16, 2, 1, 2), 2));
}

TEST(GemmSkinnyRun, Clusters) {
  auto cluster = [](SkinnySchedule schedule) {
    schedule.clustered = true;
    return schedule;
  };
  check({1, 32, 512}, cluster(mma(16, 2, 2, 2)));
  check({16, 20, 512}, cluster(mma(16, 2, 4, 2, true)));
  check({32, 40, 300}, cluster(mma(32, 1, 3, 1)));
  check({3, 7, 1024, "f32"}, cluster(with(SkinnyMath::Ffma, 2, 2, 2, 1)));
}

TEST(GemmSkinnyRun, Half) { check({6, 32, 192, "f16"}, mma(16, 2, 1, 2)); }

TEST(GemmSkinnyRun, Float) {
  for (int64_t m : {1, 3, 8}) {
    check({m, 12, 512, "f32"}, with(SkinnyMath::Ffma, 4, 2, 1, 1));
  }
  check({1, 16, 1024, "f32"}, with(SkinnyMath::Ffma, 4, 1, 2, 2));
  check({2, 7, 130, "f32"}, with(SkinnyMath::Ffma, 2, 2, 1, 1));
  check({2, 7, 135, "f32"}, with(SkinnyMath::Ffma, 4, 1, 1, 1));
  check({32, 6, 256, "f32"}, with(SkinnyMath::Ffma, 2, 2, 1, 1));
}

TEST(GemmSkinnyRun, Tf32) {
  check({3, 32, 128, "f32"}, with(SkinnyMath::MmaTf32, 16, 2, 1, 2));
  check({9, 20, 70, "f32"}, with(SkinnyMath::MmaTf32, 16, 2, 2, 1));
}

TEST(GemmSkinnyRun, WeightsByColumns) {
  check({4, 40, 128, "bf16", true}, mma(16, 2, 1, 2));
  check({4, 17, 75, "bf16", true}, mma(16, 1, 1, 1));
}

TEST(GemmSkinnyRun, TheFirstOffersDoNotSpill) {
  struct Shape {
    int64_t m, n, k;
    const char *dtype;
  };
  DeviceProfile profile = *getCudaProfile("h200");
  for (const Shape &shape :
       {Shape{1, 11008, 4096, "bf16"}, Shape{1, 4096, 11008, "bf16"},
        Shape{16, 11008, 4096, "bf16"}, Shape{16, 4096, 11008, "bf16"},
        Shape{32, 1000, 4100, "bf16"}, Shape{1, 4096, 4096, "f32"},
        Shape{16, 4096, 1024, "f32"}}) {
    std::string x = tensor({shape.m, shape.k}, shape.dtype),
                w = tensor({shape.n, shape.k}, shape.dtype),
                y = tensor({shape.m, shape.n}, shape.dtype);
    ParsedFusion parsed({x, w}, y,
                        "%l = graph.linear %0, %1 : (" + x + ", " + w +
                            ") -> " + y + "\n%r = graph.gelu %l : " + y +
                            "\nkernel.yield %r : " + y);
    kernel::FusionOp fusion = parsed.get();
    prepareContext(*fusion.getContext());
    expectNoSpills(fusion, profile);
  }
}

TEST(GemmSkinnyRun, OlderGpus) {
  check({4, 48, 256}, mma(16, 4, 2, 2), "sm_80");
  check({2, 16, 256, "f32"}, with(SkinnyMath::Ffma, 4, 2, 1, 1), "sm_89");
}

} // namespace
} // namespace minic::cuda
