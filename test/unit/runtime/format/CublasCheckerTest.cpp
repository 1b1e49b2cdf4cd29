// SPDX-License-Identifier: Apache-2.0
//
// One unsound field of cuBLAS's and cuBLASLt's calls at a time.

#include "test/unit/runtime/format/DamageCases.h"

namespace minic::format {
namespace {

using namespace ::minic::testing;

/// y[5, 2, 3] = x[5, 2, 4] * w[1, 4, 3], bf16, in an arena of a CUDA variant.
TestArtifact soundGemm() {
  TestArtifact artifact;
  artifact.variant().target = "cuda";
  artifact.variant().arena_bytes = 512;
  auto &gemm = artifact.call<CublasGemmT>();
  gemm.lhs = arenaView(0, {5, 2, 4}, DType::bf16);
  gemm.rhs = arenaView(128, {1, 4, 3}, DType::bf16);
  gemm.result = arenaView(192, {5, 2, 3}, DType::f32);
  return artifact;
}

/// y[2, 3] = gelu(x[2, 4] * w[4, 3] + b + z), aux and 64 bytes of workspace.
TestArtifact soundMatmul() {
  TestArtifact artifact;
  artifact.variant().target = "cuda";
  artifact.variant().arena_bytes = 512;
  auto &matmul = artifact.call<CublasltMatmulT>();
  matmul.lhs = arenaView(0, {2, 4});
  matmul.rhs = arenaView(64, {4, 3});
  matmul.bias = arenaView(128, {3});
  matmul.addend = arenaView(192, {2, 3});
  matmul.result = arenaView(256, {2, 3});
  matmul.aux = arenaView(320, {2, 3});
  matmul.activation = CublasltActivation::gelu_tanh;
  matmul.compute = ComputeType::tf32;
  matmul.algorithm.resize(64);
  matmul.scratch = address(Base::arena, 0, 384);
  matmul.scratch_bytes = 64;
  return artifact;
}

CublasGemmT &gemm(TestArtifact &artifact) {
  return lastCall<CublasGemmT>(artifact);
}
CublasltMatmulT &matmul(TestArtifact &artifact) {
  return lastCall<CublasltMatmulT>(artifact);
}

TEST(CublasCheckerTest, acceptsWhatIsSound) {
  expectSound(soundGemm());
  expectSound(soundMatmul());
  TestArtifact empty = soundMatmul();
  matmul(empty).lhs->dims = {2, 0};
  matmul(empty).rhs->dims = {0, 3};
  matmul(empty).algorithm.clear();
  expectSound(empty);
}

TEST(CublasCheckerTest, checksGemms) {
  expectDamageFound(
      soundGemm,
      {
          {"CublasGemm in a plan for cpu",
           [](auto &a) { a.variant().target = "cpu"; }},
          {"cublas gemm lhs: 80 bytes at offset 440",
           [](auto &a) {
             gemm(a).lhs->address = address(Base::arena, 0, 440);
           }},
          {"lhs: stride -8 is out of range",
           [](auto &a) { gemm(a).lhs->strides[0] = -8; }},
          {"result: elements overlap at stride 3",
           [](auto &a) { gemm(a).result->strides = {3, 3, 1}; }},
          {"result: offset 193 is not a multiple",
           [](auto &a) {
             gemm(a).result->address = address(Base::arena, 0, 193);
           }},
          {"dtypes of lhs and rhs: expected one float type, got bf16 and f16",
           [](auto &a) { gemm(a).rhs->dtype = DType::f16; }},
          {"dtypes of result: expected one float type, got i32",
           [](auto &a) { gemm(a).result->dtype = DType::i32; }},
          {"ranks of lhs, rhs and result differ: 3, 2, 3",
           [](auto &a) { gemm(a).rhs = arenaView(128, {4, 3}, DType::bf16); }},
          {"do not multiply", [](auto &a) { gemm(a).rhs->dims[0] = 2; }},
          {"cublas gemm scratch: 64 bytes at offset 449",
           [](auto &a) {
             gemm(a).scratch = address(Base::arena, 0, 449);
             gemm(a).scratch_bytes = 64;
           }},
          {"unknown compute type 7",
           [](auto &a) { gemm(a).compute = ComputeType(7); }},
          {"compute type tf32 of bf16 operands",
           [](auto &a) { gemm(a).compute = ComputeType::tf32; }},
      });
}

TEST(CublasCheckerTest, checksMatmuls) {
  expectDamageFound(
      soundMatmul,
      {
          {"cublaslt matmul bias: 12 bytes at offset 504",
           [](auto &a) {
             matmul(a).bias->address = address(Base::arena, 0, 504);
           }},
          {"bias: expected one value per column",
           [](auto &a) { matmul(a).bias->dims = {1}; }},
          {"bias: expected one value per column",
           [](auto &a) { matmul(a).bias = arenaView(128, {1, 3}); }},
          {"addend: shape or dtype is not the result's",
           [](auto &a) { matmul(a).addend = arenaView(192, {1, 3}); }},
          {"addend: shape or dtype is not the result's",
           [](auto &a) { matmul(a).addend->dtype = DType::bf16; }},
          {"aux: shape or dtype is not the result's",
           [](auto &a) { matmul(a).aux = arenaView(320, {3, 2}); }},
          {"aux: elements overlap at stride 1",
           [](auto &a) { matmul(a).aux->strides = {1, 1}; }},
          {"unknown activation 9",
           [](auto &a) { matmul(a).activation = CublasltActivation(9); }},
          {"aux: expected the activation gelu_tanh, got relu",
           [](auto &a) { matmul(a).activation = CublasltActivation::relu; }},
          {"algorithm: expected 64 bytes, got 63",
           [](auto &a) { matmul(a).algorithm.pop_back(); }},
          {"cublaslt matmul scratch: 129 bytes at offset 384",
           [](auto &a) { matmul(a).scratch_bytes = 129; }},
          {"scratch: expected an address for 64 bytes",
           [](auto &a) { matmul(a).scratch.reset(); }},
      });
}

} // namespace
} // namespace minic::format
