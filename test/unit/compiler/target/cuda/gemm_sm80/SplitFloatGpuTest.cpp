// SPDX-License-Identifier: Apache-2.0
//
// Split float32 products on a GPU: what the interpreter takes for granted about
// tensor cores.

#include "test/unit/compiler/target/cuda/gemm_sm80/SplitFloatCases.h"
#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/testing/GpuOrSkip.h"

#include <cstring>

namespace minic::cuda {
namespace {

using namespace ::minic::testing;

/// y = x w^T: split-float.mlir as PTX.
const char *const splitFloatPtx =
#include "test/unit/compiler/target/cuda/gemm_sm80/SplitFloatPtx.inc"
    ;

class SplitFloatGpuTest : public GpuOrSkip {
protected:
  SplitFloatCase one{64, 64, 4096};

  std::vector<float> multiply() {
    const auto *text = reinterpret_cast<const std::byte *>(splitFloatPtx);
    TestArtifact artifact = cudaArtifact();
    setBinary(artifact, format::BinaryKind::ptx,
              {text, text + std::strlen(splitFloatPtx)});
    artifact.input("x", {one.m, one.k});
    artifact.input("w", {one.n, one.k});
    artifact.output("y", {one.m, one.n});
    // Two tiles of 64x32 by 128 threads; four stages of 12 KiB.
    cudaLaunch(artifact, "split_float", 2 * 128,
               {inputAddress(0), inputAddress(1), outputAddress(0)}, {})
        .shared_bytes = 4 * 96 * 128;
    LoadedArtifact loaded(artifact);
    EXPECT_TRUE(loaded.status().ok()) << loaded.status();
    if (!loaded.status().ok()) {
      return std::vector<float>(size_t(one.m * one.n));
    }
    DeviceFloats x(*loaded, one.lhs), w(*loaded, one.rhs),
        y(*loaded, std::vector<float>(size_t(one.m * one.n)));
    auto execution = loaded.execution();
    EXPECT_TRUE(execution.ok()) << execution.status();
    if (execution.ok()) {
      void *callers[] = {x.data(), w.data(), y.data()};
      EXPECT_TRUE((*execution)->run(callers).ok());
      absl::Status status = (*execution)->synchronize();
      EXPECT_TRUE(status.ok()) << status;
    }
    return y.read();
  }
};

TEST_F(SplitFloatGpuTest, InfinitiesAndLargestNumbers) {
  one.fillRandom(-1);
  one.placeSpecials(5, 77);
  one.expectRight(multiply());
  one.placeSpecials(4000, 4001);
  one.expectRight(multiply());
}

TEST_F(SplitFloatGpuTest, SpecialsAlone) {
  one.placeSpecials(3, 40);
  one.expectRight(multiply());
}

TEST_F(SplitFloatGpuTest, Accuracy) {
  for (float low : {-1.0f, 0.0f}) {
    one.fillRandom(low);
    one.expectAsAccurateAsFloat32(multiply());
  }
}

} // namespace
} // namespace minic::cuda
