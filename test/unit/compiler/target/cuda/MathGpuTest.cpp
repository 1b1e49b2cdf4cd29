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
    const auto *text = reinterpret_cast<const std::byte *>(mathPtx);
    Floats x = spreadFloats();
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
    Floats got = to.read();
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
};

TEST_F(MathGpuTest, Exp) { check("exp", std::exp, 3); }
TEST_F(MathGpuTest, Erf) { check("erf", std::erf, 1.8); }
TEST_F(MathGpuTest, Log) { check("log", std::log, 1); }
TEST_F(MathGpuTest, Tanh) { check("tanh", std::tanh, 2); }
TEST_F(MathGpuTest, Sin) { check("sin", std::sin, 2); }
TEST_F(MathGpuTest, Cos) { check("cos", std::cos, 2); }
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
