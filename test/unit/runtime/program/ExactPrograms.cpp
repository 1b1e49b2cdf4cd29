// SPDX-License-Identifier: Apache-2.0
//
// The programs, and their values by loops.

#include "test/unit/runtime/program/ExactPrograms.h"

#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/testing/PackedTable.h"

namespace minic::testing {

static const std::vector<int64_t> dims = {n, n};

/// Of either library's call; behind the arena's two matrices.
constexpr uint64_t scratchBytes = 4 << 20;

static float weight(int64_t i) { return float(i % 3) - 1; }

TestArtifact kernelArtifact() {
  TestArtifact artifact = cudaArtifact();
  artifact.input("x", dims);
  artifact.output("y", dims);
  Floats weights(n * n);
  for (int64_t i = 0; i < n * n; ++i) {
    weights[i] = weight(i);
  }
  uint32_t w = artifact.constant("w", dims, weights);
  artifact.variant().arena_bytes = 2 * matrixBytes;
  artifact.variant().persistent_bytes = matrixBytes;
  format::Address prepared(format::Base::persistent, 0, 0);
  cudaLaunch(artifact, "scale_f32", n * n, {constantAddress(w), prepared},
             {n * n});
  std::swap(artifact.variant().prepare, artifact.variant().run);
  cudaLaunch(artifact, "scale_f32", n * n, {inputAddress(0), arenaAddress(0)},
             {n * n});
  cudaLaunch(artifact, "add_f32", n * n,
             {arenaAddress(0), prepared, outputAddress(0)}, {n * n});
  return artifact;
}

Floats kernelReference(const Floats &x) {
  Floats y(n * n);
  for (int64_t i = 0; i < n * n; ++i) {
    y[i] = 2 * x[i] + 1 + 2 * weight(i) + 1;
  }
  return y;
}

/// result = lhs * w
template <typename Table>
static void addProduct(TestArtifact &artifact, format::Address lhs,
                       format::Address result) {
  auto view = [](format::Address address) {
    return tensorView(address, dims, {n, 1});
  };
  Table &call = artifact.call<Table>();
  call.lhs = view(lhs);
  call.rhs = view(constantAddress(0));
  call.result = view(result);
  call.compute = format::ComputeType::f32;
  call.scratch =
      std::make_unique<format::Address>(arenaAddress(2 * matrixBytes));
  call.scratch_bytes = scratchBytes;
}

TestArtifact libraryArtifact() {
  TestArtifact artifact = kernelArtifact();
  artifact.variant().run.pop_back();
  artifact.variant().arena_bytes += scratchBytes;
  addProduct<format::CublasGemmT>(artifact, arenaAddress(0),
                                  arenaAddress(matrixBytes));
  addProduct<format::CublasltMatmulT>(artifact, arenaAddress(matrixBytes),
                                      outputAddress(0));
  return artifact;
}

static Floats timesWeights(const Floats &lhs) {
  Floats result(n * n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t p = 0; p < n; ++p) {
        result[i * n + j] += lhs[i * n + p] * weight(p * n + j);
      }
    }
  }
  return result;
}

Floats libraryReference(const Floats &x) {
  Floats hidden(n * n);
  for (int64_t i = 0; i < n * n; ++i) {
    hidden[i] = 2 * x[i] + 1;
  }
  return timesWeights(timesWeights(hidden));
}

} // namespace minic::testing
