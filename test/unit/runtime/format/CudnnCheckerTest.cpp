// SPDX-License-Identifier: Apache-2.0
//
// One unsound field of cuDNN's calls at a time. What all convolutions have in
// common is OnednnCheckerTest's.

#include "test/unit/runtime/format/DamageCases.h"

namespace minic::format {
namespace {

using namespace ::minic::testing;

/// relu of y[2, 8, 5, 5] = x[2, 4, 5, 5] * w[8, 4, 3, 3] + b + z, f16.
TestArtifact soundConvolution() {
  TestArtifact artifact;
  artifact.variant().target = "cuda";
  artifact.variant().arena_bytes = 4096;
  CallT &convolution = artifact.call(libraryCall("cudnn", "convolution"));
  setOperand(convolution, "input", arenaView(0, {2, 4, 5, 5}, DType::f16));
  setOperand(convolution, "filter", arenaView(512, {8, 4, 3, 3}, DType::f16));
  setOperand(convolution, "bias", arenaView(1152, {1, 8, 1, 1}, DType::f16));
  setOperand(convolution, "addend", arenaView(1280, {2, 8, 5, 5}, DType::f16));
  setOperand(convolution, "result", arenaView(2304, {2, 8, 5, 5}, DType::f16));
  for (const char *name : {"strides", "dilations", "pads_begin", "pads_end"}) {
    setIntegers(convolution, name, {1, 1});
  }
  setInteger(convolution, "groups", 1);
  setText(convolution, "compute", "f32");
  addEltwise(convolution, EltwiseKind::relu);
  convolution.algorithm = "eng38_k2=5";
  convolution.scratch = address(Base::arena, 0, 3584);
  convolution.scratch_bytes = 512;
  return artifact;
}

/// y[1, 2, 3] = x[1, 2, 4] * w[1, 4, 3] + b[3].
TestArtifact soundMatmul() {
  TestArtifact artifact;
  artifact.variant().target = "cuda";
  artifact.variant().arena_bytes = 512;
  CallT &matmul = artifact.call(libraryCall("cudnn", "matmul"));
  setOperand(matmul, "lhs", arenaView(0, {1, 2, 4}));
  setOperand(matmul, "rhs", arenaView(64, {1, 4, 3}));
  setOperand(matmul, "bias", arenaView(128, {3}));
  setOperand(matmul, "result", arenaView(192, {1, 2, 3}));
  setText(matmul, "compute", "f32");
  return artifact;
}

/// Of either.
CallT &call(TestArtifact &artifact) { return lastCall(artifact); }

TEST(CudnnCheckerTest, acceptsWhatIsSound) {
  expectSound(soundConvolution());
  expectSound(soundMatmul());
}

TEST(CudnnCheckerTest, checksConvolutions) {
  expectDamageFound(
      soundConvolution,
      {
          {"cudnn convolution in a plan for cpu",
           [](auto &a) { a.variant().target = "cpu"; }},
          {"filter: expected input's dtype f16, got bf16",
           [](auto &a) { operandOf(call(a), "filter").dtype = DType::bf16; }},
          {"expected extent 3 of spatial dimension 0, got 5",
           [](auto &a) { setIntegers(call(a), "strides", {2, 1}); }},
          {"bias: expected one value per channel",
           [](auto &a) { operandOf(call(a), "bias").dims = {1, 4, 1, 1}; }},
          {"bias: expected one value per channel",
           [](auto &a) { operandOf(call(a), "bias").dims = {1, 8, 1, 2}; }},
          {"addend: shape or dtype is not the result's",
           [](auto &a) { operandOf(call(a), "addend").dims[0] = 1; }},
          {"unknown eltwise kind 200",
           [](auto &a) {
             call(a).epilogue[0]->post_op.AsEltwisePostOp()->kind =
                 EltwiseKind(200);
           }},
          {"epilogue: cudnn convolution takes no binary ops",
           [](auto &a) {
             call(a).epilogue.clear();
             addBinary(call(a), BinaryKindPostOp::add, arenaView(0, {1, 1}));
           }},
          {"compute: tf32 of f16 operands",
           [](auto &a) { setText(call(a), "compute", "tf32"); }},
          {"cudnn convolution scratch: 513 bytes",
           [](auto &a) { call(a).scratch_bytes = 513; }},
      });
}

TEST(CudnnCheckerTest, checksMatmuls) {
  expectDamageFound(
      soundMatmul,
      {
          {"cudnn matmul rhs: 48 bytes at offset 480",
           [](auto &a) {
             operandOf(call(a), "rhs").address = address(Base::arena, 0, 480);
           }},
          {"do not multiply",
           [](auto &a) { operandOf(call(a), "lhs").dims[2] = 3; }},
          {"bias: expected one value per column",
           [](auto &a) { operandOf(call(a), "bias").dims = {2}; }},
          {"result: elements overlap",
           [](auto &a) { operandOf(call(a), "result").strides = {6, 1, 1}; }},
          {"lhs: expected f32, f16 or bf16, got i32",
           [](auto &a) {
             operandOf(call(a), "lhs").dtype = DType::i32;
             operandOf(call(a), "rhs").dtype = DType::i32;
           }},
          {"expected the attribute 'compute', got none",
           [](auto &a) { call(a).attributes.clear(); }},
      });
}

} // namespace
} // namespace minic::format
