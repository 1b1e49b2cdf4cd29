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

/// Four heads of three queries that share two of five keys, bf16.
TestArtifact soundAttention() {
  TestArtifact artifact;
  artifact.variant().target = "cuda";
  artifact.variant().arena_bytes = 4096;
  CallT &attention = artifact.call(libraryCall("cudnn", "attention"));
  setOperand(attention, "query", arenaView(0, {1, 4, 3, 8}, DType::bf16));
  setOperand(attention, "key", arenaView(512, {1, 2, 5, 8}, DType::bf16));
  setOperand(attention, "value", arenaView(1024, {1, 2, 5, 16}, DType::bf16));
  setOperand(attention, "bias", arenaView(1536, {1, 1, 3, 5}));
  setOperand(attention, "result", arenaView(2048, {1, 4, 3, 16}, DType::bf16));
  setNumber(attention, "scale", 0.25);
  setText(attention, "causal", "lower_right");
  return artifact;
}

/// Of any.
CallT &call(TestArtifact &artifact) { return lastCall(artifact); }

TEST(CudnnCheckerTest, acceptsWhatIsSound) {
  expectSound(soundConvolution());
  expectSound(soundMatmul());
  expectSound(soundAttention());
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

TEST(CudnnCheckerTest, checksAttentions) {
  constexpr const char *kNone = "are no attention's";
  auto grow = [](const char *role, int dim) {
    return [=](auto &a) { ++operandOf(call(a), role).dims[dim]; };
  };
  expectDamageFound(
      soundAttention,
      {
          {kNone, [](auto &a) { operandOf(call(a), "key").dims[1] = 3; }},
          {kNone, [](auto &a) { operandOf(call(a), "key").dims[1] = 0; }},
          {kNone, grow("query", 0)},
          {kNone, grow("query", 3)},
          {kNone, grow("key", 2)},
          {kNone, grow("value", 1)},
          {kNone, grow("value", 3)},
          {kNone, grow("query", 2)},
          {"bias: expected 1 or 4 of dimension 1, got 2", grow("bias", 1)},
          {"value: expected query's dtype bf16, got f16",
           [](auto &a) { operandOf(call(a), "value").dtype = DType::f16; }},
          {"query: expected rank 4, got 3",
           [](auto &a) {
             operandOf(call(a), "query").dims = {1, 4, 8};
             operandOf(call(a), "query").strides = {32, 8, 1};
           }},
          {"scale: expected a finite float, got 1e+39",
           [](auto &a) { setNumber(call(a), "scale", 1e39); }},
          {"causal: expected none or upper_left or lower_right, got 'both'",
           [](auto &a) { setText(call(a), "causal", "both"); }},
      });
}

} // namespace
} // namespace minic::format
