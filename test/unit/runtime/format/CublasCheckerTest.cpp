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
  CallT &gemm = artifact.call(libraryCall("cublas", "gemm"));
  setOperand(gemm, "lhs", arenaView(0, {5, 2, 4}, DType::bf16));
  setOperand(gemm, "rhs", arenaView(128, {1, 4, 3}, DType::bf16));
  setOperand(gemm, "result", arenaView(192, {5, 2, 3}, DType::f32));
  setText(gemm, "compute", "f32");
  return artifact;
}

/// y[2, 3] = gelu(x[2, 4] * w[4, 3] + b + z), aux and 64 bytes of workspace.
TestArtifact soundMatmul() {
  TestArtifact artifact;
  artifact.variant().target = "cuda";
  artifact.variant().arena_bytes = 512;
  CallT &matmul = artifact.call(libraryCall("cublaslt", "matmul"));
  setOperand(matmul, "lhs", arenaView(0, {2, 4}));
  setOperand(matmul, "rhs", arenaView(64, {4, 3}));
  setOperand(matmul, "bias", arenaView(128, {3}));
  setOperand(matmul, "addend", arenaView(192, {2, 3}));
  setOperand(matmul, "result", arenaView(256, {2, 3}));
  setOperand(matmul, "aux", arenaView(320, {2, 3}));
  addEltwise(matmul, EltwiseKind::gelu_tanh);
  setText(matmul, "compute", "tf32");
  matmul.algorithm = std::string(128, 'a');
  matmul.scratch = address(Base::arena, 0, 384);
  matmul.scratch_bytes = 64;
  return artifact;
}

/// Of either.
CallT &call(TestArtifact &artifact) { return lastCall(artifact); }

TEST(CublasCheckerTest, acceptsWhatIsSound) {
  expectSound(soundGemm());
  expectSound(soundMatmul());
  TestArtifact empty = soundMatmul();
  operandOf(call(empty), "lhs").dims = {2, 0};
  operandOf(call(empty), "rhs").dims = {0, 3};
  call(empty).algorithm.clear();
  expectSound(empty);
}

TEST(CublasCheckerTest, checksGemms) {
  expectDamageFound(
      soundGemm,
      {
          {"cublas gemm in a plan for cpu",
           [](auto &a) { a.variant().target = "cpu"; }},
          {"cublas gemm lhs: 80 bytes at offset 440",
           [](auto &a) {
             operandOf(call(a), "lhs").address = address(Base::arena, 0, 440);
           }},
          {"lhs: stride -8 is out of range",
           [](auto &a) { operandOf(call(a), "lhs").strides[0] = -8; }},
          {"result: elements overlap at stride 3",
           [](auto &a) { operandOf(call(a), "result").strides = {3, 3, 1}; }},
          {"result: offset 193 is not a multiple",
           [](auto &a) {
             operandOf(call(a), "result").address =
                 address(Base::arena, 0, 193);
           }},
          {"rhs: expected lhs's dtype bf16, got f16",
           [](auto &a) { operandOf(call(a), "rhs").dtype = DType::f16; }},
          {"result: expected f32, f16 or bf16, got i32",
           [](auto &a) { operandOf(call(a), "result").dtype = DType::i32; }},
          {"ranks of lhs, rhs and result differ: 3, 2, 3",
           [](auto &a) {
             setOperand(call(a), "rhs", arenaView(128, {4, 3}, DType::bf16));
           }},
          {"do not multiply",
           [](auto &a) { operandOf(call(a), "rhs").dims[0] = 2; }},
          {"cublas gemm scratch: 64 bytes at offset 449",
           [](auto &a) {
             call(a).scratch = address(Base::arena, 0, 449);
             call(a).scratch_bytes = 64;
           }},
          {"compute: expected f32 or tf32, got 'f64'",
           [](auto &a) { setText(call(a), "compute", "f64"); }},
          {"compute: tf32 of bf16 operands",
           [](auto &a) { setText(call(a), "compute", "tf32"); }},
      });
}

TEST(CublasCheckerTest, checksMatmuls) {
  expectDamageFound(
      soundMatmul,
      {
          {"cublaslt matmul bias: 12 bytes at offset 504",
           [](auto &a) {
             operandOf(call(a), "bias").address = address(Base::arena, 0, 504);
           }},
          {"bias: expected one value per column",
           [](auto &a) { operandOf(call(a), "bias").dims = {1}; }},
          {"bias: expected rank 1, got 2",
           [](auto &a) {
             setOperand(call(a), "bias", arenaView(128, {1, 3}));
           }},
          {"addend: shape or dtype is not the result's",
           [](auto &a) {
             setOperand(call(a), "addend", arenaView(192, {1, 3}));
           }},
          {"addend: shape or dtype is not the result's",
           [](auto &a) { operandOf(call(a), "addend").dtype = DType::bf16; }},
          {"aux: shape or dtype is not the result's",
           [](auto &a) { setOperand(call(a), "aux", arenaView(320, {3, 2})); }},
          {"aux: elements overlap at stride 1",
           [](auto &a) { operandOf(call(a), "aux").strides = {1, 1}; }},
          {"epilogue: cublaslt matmul takes no tanh",
           [](auto &a) {
             call(a).epilogue[0]->post_op.AsEltwisePostOp()->kind =
                 EltwiseKind::tanh;
           }},
          {"epilogue: expected 1 ops at most, got 2",
           [](auto &a) { addEltwise(call(a), EltwiseKind::relu); }},
          {"aux: expected an epilogue of gelu_tanh",
           [](auto &a) { call(a).epilogue.clear(); }},
          {"algorithm: expected 64 bytes in hexadecimal, got 127 characters",
           [](auto &a) { call(a).algorithm.pop_back(); }},
          {"algorithm: expected 64 bytes in hexadecimal, got 128 characters",
           [](auto &a) { call(a).algorithm[0] = 'g'; }},
          {"cublaslt matmul scratch: 129 bytes at offset 384",
           [](auto &a) { call(a).scratch_bytes = 129; }},
          {"scratch: expected an address for 64 bytes",
           [](auto &a) { call(a).scratch.reset(); }},
      });
}

} // namespace
} // namespace minic::format
