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
static void addProduct(TestArtifact &artifact, const std::string &library,
                       const std::string &op, format::Address lhs,
                       format::Address result) {
  auto view = [](format::Address address) {
    return tensorView(address, dims, {n, 1});
  };
  format::CallT &call = artifact.call(libraryCall(library, op));
  setOperand(call, "lhs", view(lhs));
  setOperand(call, "rhs", view(constantAddress(0)));
  setOperand(call, "result", view(result));
  setText(call, "compute", "f32");
  setScratch(call, arenaAddress(2 * matrixBytes), scratchBytes);
}

TestArtifact libraryArtifact() {
  TestArtifact artifact = kernelArtifact();
  artifact.variant().run.pop_back();
  artifact.variant().arena_bytes += scratchBytes;
  addProduct(artifact, "cublas", "gemm", arenaAddress(0),
             arenaAddress(matrixBytes));
  addProduct(artifact, "cublaslt", "matmul", arenaAddress(matrixBytes),
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
