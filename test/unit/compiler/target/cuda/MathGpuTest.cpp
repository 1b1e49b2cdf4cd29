// SPDX-License-Identifier: Apache-2.0
//
// Accuracy of the transcendental functions on a GPU, whose own instructions
// they use.

#include "test/unit/compiler/target/MathCases.h"
#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/testing/GpuOrSkip.h"

namespace minic::cuda {
namespace {

using namespace ::minic::testing;

/// math.mlir as PTX.
const char *const mathPtx =
#include "test/unit/compiler/target/cuda/MathPtx.inc"
    ;

class MathGpuTest : public GpuOrSkip {
protected:
  using Function = double (*)(double);

  /// No result of the kernel `name` is further than `bound` units in the last
  /// place from `expected`.
  void check(const char *name, Function expected, double bound) {
    Floats x = spreadFloats(), got;
    ASSERT_NO_FATAL_FAILURE(run(name, x, got));
    double worst = 0, at = 0;
    for (size_t i = 0; i != x.size(); ++i) {
      double error = ulps(got[i], expected(x[i]));
      ASSERT_LE(error, bound) << name << " of " << x[i] << ": " << got[i];
      if (error > worst) {
        worst = error;
        at = double(x[i]);
      }
    }
    std::printf("%s: at most %.2f ulp, at %g\n", name, worst, at);
  }

  /// The kernel `name` of each element of `x`.
  void run(const char *name, const Floats &x, Floats &got) {
    const auto *text = reinterpret_cast<const std::byte *>(mathPtx);
    int64_t count = int64_t(x.size());
    TestArtifact artifact = cudaArtifact();
    setBinary(artifact, format::BinaryKind::ptx,
              {text, text + std::strlen(mathPtx)});
    artifact.input("x", {count});
    artifact.output("y", {count});
    cudaLaunch(artifact, name, count, {inputAddress(0), outputAddress(0)}, {});
    LoadedArtifact loaded(artifact);
    ASSERT_TRUE(loaded.status().ok()) << loaded.status();
    DeviceFloats from(*loaded, x), to(*loaded, Floats(x.size(), -7));
    auto execution = loaded.execution();
    ASSERT_TRUE(execution.ok()) << execution.status();
    void *callers[] = {from.data(), to.data()};
    ASSERT_TRUE((*execution)->run(callers).ok());
    absl::Status status = (*execution)->synchronize();
    ASSERT_TRUE(status.ok()) << status;
    got = to.read();
  }
};

TEST_F(MathGpuTest, Exp) { check("exp", std::exp, 3); }
TEST_F(MathGpuTest, Erf) { check("erf", std::erf, 1.8); }
/// 1 + erf cancels where x is negative: errors are of x, not of the result.
TEST_F(MathGpuTest, Gelu) {
  Floats x = spreadFloats(), got;
  ASSERT_NO_FATAL_FAILURE(run("gelu", x, got));
  double worst = 0;
  for (size_t i = 0; i != x.size(); ++i) {
    double at = x[i], expected = 0.5 * at * std::erfc(-at / std::sqrt(2.0));
    if (!std::isfinite(expected)) {
      ASSERT_EQ(std::isnan(got[i]), std::isnan(expected)) << at;
      continue;
    }
    double error = std::fabs(got[i] - expected);
    double unit = 0x1p-23 * std::fabs(at) + 0x1p-126;
    ASSERT_LE(error, 2 * unit) << at << ": " << got[i];
    worst = std::fmax(worst, error / unit);
  }
  std::printf("gelu: at most %.2f ulp of its operand\n", worst);
}
TEST_F(MathGpuTest, Log) { check("log", std::log, 1); }
TEST_F(MathGpuTest, Tanh) { check("tanh", std::tanh, 2); }
TEST_F(MathGpuTest, Sin) { check("sin", std::sin, 2); }
TEST_F(MathGpuTest, Cos) { check("cos", std::cos, 2); }
TEST_F(MathGpuTest, Rsqrt) {
  check("rsqrt", [](double x) { return 1 / std::sqrt(x); }, 2.5);
}
TEST_F(MathGpuTest, Elu) {
  check("elu", [](double x) { return x > 0 ? x : std::expm1(x); }, 2);
}
TEST_F(MathGpuTest, Softplus) {
  check(
      "softplus",
      [](double x) {
        return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x)));
      },
      6);
}

} // namespace
} // namespace minic::cuda
