// SPDX-License-Identifier: Apache-2.0
//
// Kernels of gemm_skinny whose blocks make the lhs, by a norm or pointwise ops,
// run by the interpreter and compared with sums in double.

#include "compiler/target/cuda/ConstantOperands.h"
#include "test/unit/compiler/target/cuda/gemm_skinny/NormedProblem.h"
#include "test/unit/compiler/target/cuda/gemm_skinny/SkinnyOffer.h"

#include <cmath>

using namespace mlir;

namespace minic::cuda {
namespace {

using Row = std::vector<double>;

Row normalize(const NormedProblem &p, const InterpretedFusion &run,
              int64_t row) {
  double mean = 0, power = 0;
  auto x = [&](int64_t i) { return run.inputs[2].get(row * p.k + i); };
  for (int64_t i = 0; i != p.k && p.norm == "layer_norm"; ++i) {
    mean += x(i) / double(p.k);
  }
  for (int64_t i = 0; i != p.k; ++i) {
    power += (x(i) - mean) * (x(i) - mean) / double(p.k);
  }
  Row made;
  for (int64_t i = 0; i != p.k; ++i) {
    double value = (x(i) - mean) / std::sqrt(power + 1e-5);
    value *= p.hasScale ? run.inputs[3].get(i) : 1;
    made.push_back(value + (p.hasBias ? run.inputs[4].get(i) : 0));
  }
  return made;
}

/// Every result as `rowOf` makes the lhs. `error`: how far an element of the
/// lhs may be off beside its rounding.
template <typename RowOf>
void compare(InterpretedFusion &run, size_t weights, int64_t m, int64_t n,
             int64_t k, double error, RowOf rowOf) {
  int bad = 0;
  for (int64_t row = 0; row != m; ++row) {
    Row lhs = rowOf(row);
    for (int64_t column = 0; column != n; ++column) {
      double sum = 0, size = 0, ofWeights = 0;
      for (int64_t i = 0; i != k; ++i) {
        double weight = run.inputs[weights].get(column * k + i);
        sum += lhs[size_t(i)] * weight;
        size += std::abs(lhs[size_t(i)] * weight);
        ofWeights += std::abs(weight);
      }
      int64_t at = row * n + column;
      double expected = std::max(sum, 0.0) + run.inputs[0].get(at);
      double unit = run.results[0].roundoff();
      double tolerance = (3e-6 + unit) * (size + 1) + error * ofWeights +
                         unit * std::abs(expected);
      double found = run.results[0].get(at);
      if (!(std::abs(found - expected) <= tolerance) && ++bad < 4) {
        ADD_FAILURE() << "at " << row << ", " << column << ": " << found
                      << " instead of " << expected << " +- " << tolerance;
      }
    }
  }
  EXPECT_EQ(bad, 0);
}

/// `constants`: operands that the kernel may read ahead of earlier launches.
void check(const NormedProblem &p, const SkinnySchedule &schedule,
           const std::string &arch = "sm_90a",
           ArrayRef<int64_t> constants = {}) {
  SCOPED_TRACE(std::to_string(p.m) + "x" + std::to_string(p.n) + "x" +
               std::to_string(p.k) + " " + p.dtype + " " + p.norm + " " +
               toString(schedule));
  InterpretedFusion run(operandsOf(p), tensor({p.m, p.n}, p.dtype), bodyOf(p));
  for (int64_t i = 0; i != p.m * p.k; ++i) {
    run.inputs[2].set(i, run.inputs[2].get(i) + p.mean);
  }
  noteConstantOperands(run.fusion, constants);
  ASSERT_NO_FATAL_FAILURE(run.run(GemmSkinnyFamily(),
                                  offerSkinny(run.fusion, schedule),
                                  *getArchProfile(arch)));
  ASSERT_EQ(run.resources.size(), 1u);
  EXPECT_EQ(run.resources[0].spillBytes, 0);
  // Squares whose mean is subtracted would be wrong by 1e-3 at 100 sigma.
  double error = 2e-6 * (1 + std::abs(p.mean));
  if (schedule.math == SkinnyMath::MmaTf32) {
    error += 1e-3;
  }
  compare(run, 1, p.m, p.n, p.k, error,
          [&](int64_t row) { return normalize(p, run, row); });
}

TEST(GemmSkinnyLhs, Rows) {
  for (int64_t m : {1, 2, 3, 7, 8}) {
    check({m, 33, 40}, mma(16, 2, 1, 1));
    check({m, 16, 768}, mma(16, 4, 1, 2, true));
  }
}

TEST(GemmSkinnyLhs, Lengths) {
  for (int64_t k : {2, 7, 40, 75, 768, 1000}) {
    check({2, 17, k}, mma(16, 4, 1, 1));
  }
  check({1, 16, 4096}, mma(16, 16, 1, 2, true));
  check({1, 16, 4096}, mma(16, 1, 1, 4)); // more than registers keep
  check({8, 16, 4096}, mma(16, 4, 1, 2));
  check({3, 16, 4096}, mma(16, 8, 1, 2));
}

TEST(GemmSkinnyLhs, Dtypes) {
  for (int64_t m : {1, 3, 8}) {
    check({m, 18, 768, "f16"}, mma(16, 4, 1, 2));
    check({m, 7, 1000, "f32"}, with(SkinnyMath::Ffma, 4, 4, 1, 1));
    check({m, 5, 40, "f32"}, with(SkinnyMath::Ffma, 2, 2, 1, 1));
  }
  check({1, 6, 4096, "f32"}, with(SkinnyMath::Ffma, 2, 8, 1, 1));
}

TEST(GemmSkinnyLhs, FarFromZero) {
  check({2, 16, 1000, "f32", "layer_norm", true, true, 58},
        with(SkinnyMath::Ffma, 4, 4, 1, 1));
  check({3, 16, 4096, "f32", "layer_norm", true, true, 58},
        with(SkinnyMath::Ffma, 4, 2, 1, 1));
  check({3, 16, 768, "f16", "layer_norm", true, true, 58}, mma(16, 4, 1, 2));
}

TEST(GemmSkinnyLhs, NormsWithoutScaleOrBias) {
  check({2, 16, 100, "bf16", "layer_norm", false, false}, mma(16, 2, 1, 1));
  check({2, 16, 100, "bf16", "layer_norm", true, false}, mma(16, 2, 1, 1));
  check({1, 16, 768, "bf16", "rms_norm", true, false}, mma(16, 8, 1, 1));
  check({5, 16, 768, "bf16", "rms_norm", false, false}, mma(16, 2, 1, 1));
  check({8, 16, 2048, "f16", "rms_norm", true, false}, mma(32, 4, 1, 2));
}

TEST(GemmSkinnyLhs, Tf32) {
  check({3, 16, 70, "f32"}, with(SkinnyMath::MmaTf32, 16, 2, 1, 1));
}

/// relu(cast(rms_norm(x + z)) W^T) + r: x and z are f32, the rest bf16.
TEST(GemmSkinnyLhs, TakesWhatIsAroundANorm) {
  std::string x = tensor({3, 200}, "f32"), h = tensor({3, 200}, "bf16"),
              w = tensor({17, 200}, "bf16"), y = tensor({3, 17}, "bf16");
  InterpretedFusion run(
      {y, x, w, x}, y,
      "%z = graph.add %3, %1 : " + x + "\n%n = graph.rms_norm %z axis = 1 : (" +
          x + ") -> " + x + "\n%h = graph.cast %n : " + x + " to " + h +
          "\n%l = graph.linear %h, %2 : (" + h + ", " + w + ") -> " + y +
          "\n%a = graph.relu %l : " + y + "\n%s = graph.add %a, %0 : (" + y +
          ", " + y + ") -> " + y + "\nkernel.yield %s : " + y);
  ASSERT_NO_FATAL_FAILURE(run.run(GemmSkinnyFamily(),
                                  offerSkinny(run.fusion, mma(16, 2, 1, 2)),
                                  *getArchProfile("sm_90a")));
  compare(run, 2, 3, 17, 200, 4e-6, [&](int64_t row) {
    Row lhs;
    double power = 0;
    for (int64_t i = 0; i != 200; ++i) {
      lhs.push_back(run.inputs[1].get(row * 200 + i) +
                    run.inputs[3].get(row * 200 + i));
      power += lhs.back() * lhs.back() / 200;
    }
    for (double &each : lhs) {
      each /= std::sqrt(power + 1e-5);
    }
    return lhs;
  });
}

TEST(GemmSkinnyLhs, Split) {
  check({1, 33, 768}, mma(16, 2, 3, 2, true));
  check({7, 20, 1000}, mma(16, 4, 2, 1));
  check({3, 6, 2048, "f32"}, with(SkinnyMath::Ffma, 2, 2, 2, 2));
}

/// All of the NaN's row, and nothing else.
TEST(GemmSkinnyLhs, KeepsNan) {
  NormedProblem p = {3, 17, 100};
  InterpretedFusion run(operandsOf(p), tensor({p.m, p.n}, p.dtype), bodyOf(p));
  run.inputs[2].set(p.k + 7, std::nan(""));
  ASSERT_NO_FATAL_FAILURE(run.run(GemmSkinnyFamily(),
                                  offerSkinny(run.fusion, mma(16, 2, 1, 1)),
                                  *getArchProfile("sm_90a")));
  for (int64_t i = 0; i != p.m * p.n; ++i) {
    EXPECT_EQ(std::isnan(run.results[0].get(i)), i / p.n == 1) << i;
  }
}

/// Scale and bias are there before earlier launches end: in registers, or on
/// their way to L2.
TEST(GemmSkinnyLhs, ConstantsAreReadAhead) {
  check({1, 16, 768}, mma(16, 8, 1, 1, true), "sm_90a", {1, 3, 4});
  check({3, 16, 1000}, mma(16, 4, 1, 2, true), "sm_90a", {1, 3, 4});
  check({1, 16, 4096}, mma(16, 4, 1, 4, true), "sm_90a", {1, 3});
  check({7, 16, 1000}, mma(16, 4, 1, 2, true), "sm_90a", {4});
}

TEST(GemmSkinnyLhs, OlderGpus) {
  check({4, 48, 256}, mma(16, 4, 2, 2), "sm_80");
  check({2, 16, 256, "f32"}, with(SkinnyMath::Ffma, 4, 2, 1, 1), "sm_89");
}

/// relu(silu(x) * g W^T) + r, with a vector of K that g is added to.
void checkPointwise(int64_t m, int64_t n, int64_t k, const std::string &dtype,
                    const SkinnySchedule &schedule) {
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" +
               std::to_string(k) + " " + dtype + " " + toString(schedule));
  std::string x = tensor({m, k}, dtype), v = tensor({k}, dtype),
              w = tensor({n, k}, dtype), y = tensor({m, n}, dtype);
  InterpretedFusion run(
      {y, x, w, v, x}, y,
      "%b = graph.add %4, %3 : (" + x + ", " + v + ") -> " + x +
          "\n%i = graph.silu %1 : " + x + "\n%p = graph.mul %i, %b : (" + x +
          ", " + x + ") -> " + x + "\n%l = graph.linear %p, %2 : (" + x + ", " +
          w + ") -> " + y + "\n%a = graph.relu %l : " + y +
          "\n%s = graph.add %a, %0 : (" + y + ", " + y + ") -> " + y +
          "\nkernel.yield %s : " + y);
  ASSERT_NO_FATAL_FAILURE(run.run(GemmSkinnyFamily(),
                                  offerSkinny(run.fusion, schedule),
                                  *getArchProfile("sm_90a")));
  EXPECT_EQ(run.resources[0].spillBytes, 0);
  compare(run, 2, m, n, k, 4e-6, [&](int64_t row) {
    Row lhs;
    for (int64_t i = 0; i != k; ++i) {
      double value = run.inputs[1].get(row * k + i);
      lhs.push_back(value / (1 + std::exp(-value)) *
                    (run.inputs[4].get(row * k + i) + run.inputs[3].get(i)));
    }
    return lhs;
  });
}

TEST(GemmSkinnyLhs, Pointwise) {
  for (int64_t m : {1, 3, 8}) {
    checkPointwise(m, 17, 768, "bf16", mma(16, 4, 1, 2, true));
    checkPointwise(m, 16, 75, "f16", mma(16, 2, 2, 1));
    checkPointwise(m, 6, 1000, "f32", with(SkinnyMath::Ffma, 2, 2, 1, 1));
  }
  checkPointwise(1, 16, 8192, "bf16", mma(16, 4, 1, 4));
}

} // namespace
} // namespace minic::cuda
