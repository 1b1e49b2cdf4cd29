// SPDX-License-Identifier: Apache-2.0
//
// One unsound field of oneDNN's calls at a time.

#include "test/unit/runtime/format/DamageCases.h"

namespace minic::format {
namespace {

using namespace ::minic::testing;

TestArtifact sound() {
  TestArtifact artifact;
  artifact.constant("w", {4, 6}, std::vector<float>(24, 1.0f));
  artifact.variant().arena_bytes = 256;
  return artifact;
}

/// y[2, 3] = x[2, 4] * w[4, 3], all in one arena.
CallT &addMatmul(TestArtifact &artifact) {
  CallT &matmul = artifact.matmul();
  setOperand(matmul, "lhs", arenaView(0, {2, 4}));
  setOperand(matmul, "rhs", arenaView(64, {4, 3}));
  setOperand(matmul, "result", arenaView(128, {2, 3}));
  return matmul;
}

TEST(OnednnCheckerTest, acceptsAMatmul) {
  TestArtifact artifact = sound();
  addMatmul(artifact);
  expectSound(artifact);
}

TEST(OnednnCheckerTest, checksMatmuls) {
  expectDamageFound(
      sound,
      {
          {"lhs: rank 2 with 1 strides",
           [](auto &a) { operandOf(addMatmul(a), "lhs").strides = {1}; }},
          {"lhs: stride -4 is out of range",
           [](auto &a) { operandOf(addMatmul(a), "lhs").strides = {-4, 1}; }},
          {"lhs: strides are out of range",
           [](auto &a) {
             operandOf(addMatmul(a), "lhs").strides = {INT64_MAX, INT64_MAX};
           }},
          {"rhs: 240 bytes at offset 64",
           [](auto &a) { operandOf(addMatmul(a), "rhs").strides = {19, 1}; }},
          {"result: offset 130 is not a multiple",
           [](auto &a) {
             operandOf(addMatmul(a), "result").address =
                 address(Base::arena, 0, 130);
           }},
          {"result: constant memory is read-only",
           [](auto &a) {
             operandOf(addMatmul(a), "result").address =
                 address(Base::constant, 0, 0);
           }},
          {"do not multiply",
           [](auto &a) { operandOf(addMatmul(a), "rhs").dims = {3, 3}; }},
          {"bias does not broadcast",
           [](auto &a) {
             CallT &matmul = addMatmul(a);
             setOperand(
                 matmul, "bias",
                 std::make_unique<TensorViewT>(operandOf(matmul, "lhs")));
           }},
          {"packed rhs: expected a constant",
           [](auto &a) { setInteger(addMatmul(a), "pack_rhs", true); }},
          {"result: elements overlap at stride 2",
           [](auto &a) { operandOf(addMatmul(a), "result").strides = {2, 1}; }},
          {"result: elements overlap at stride 0",
           [](auto &a) { operandOf(addMatmul(a), "result").strides = {0, 1}; }},
          {"scratch: expected an address for 64 bytes",
           [](auto &a) { addMatmul(a).scratch_bytes = 64; }},
          {"onednn matmul in a plan for cuda",
           [](auto &a) {
             addMatmul(a);
             a.variant().run.erase(a.variant().run.begin(),
                                   a.variant().run.end() - 1);
             a.variant().target = "cuda";
           }},
          {"onednn matmul scratch",
           [](auto &a) {
             CallT &matmul = addMatmul(a);
             matmul.scratch = address(Base::arena, 0, 192);
             matmul.scratch_bytes = 65;
           }},
          {"unknown eltwise kind 200",
           [](auto &a) {
             CallT &matmul = addMatmul(a);
             addEltwise(matmul, EltwiseKind(200));
           }},
          {"epilogue operand does not broadcast",
           [](auto &a) {
             CallT &matmul = addMatmul(a);
             addBinary(matmul, BinaryKindPostOp::add,
                       std::make_unique<TensorViewT>(operandOf(matmul, "lhs")));
           }},
      });
}

/// y[2, 4, 3, 2] = x[2, 2, 5, 4] * w[4, 1, 2, 3], two groups, stride 2 x 1,
/// padded by 1 below and 0 elsewhere.
CallT &addConvolution(TestArtifact &artifact) {
  artifact.variant().arena_bytes = 1024;
  CallT &convolution = artifact.call(libraryCall("onednn", "convolution"));
  setOperand(convolution, "input", arenaView(0, {2, 2, 5, 4}));
  setOperand(convolution, "filter", arenaView(320, {4, 1, 2, 3}));
  setOperand(convolution, "bias", arenaView(448, {4}));
  setOperand(convolution, "result", arenaView(512, {2, 4, 3, 2}));
  setIntegers(convolution, "strides", {2, 1});
  setIntegers(convolution, "pads_begin", {0, 0});
  setIntegers(convolution, "pads_end", {1, 0});
  setIntegers(convolution, "dilations", {1, 1});
  setInteger(convolution, "groups", 2);
  return convolution;
}

TEST(OnednnCheckerTest, acceptsAConvolution) {
  TestArtifact artifact = sound();
  addConvolution(artifact);
  expectSound(artifact);
}

TEST(OnednnCheckerTest, checksConvolutions) {
  expectDamageFound(
      sound,
      {
          {"input: expected rank 3 to 5, got 2",
           [](auto &a) {
             setOperand(addConvolution(a), "input", arenaView(0, {2, 2}));
           }},
          {"filter and result: expected the same, got 4, 3, 4",
           [](auto &a) {
             setOperand(addConvolution(a), "filter", arenaView(0, {4, 1, 2}));
           }},
          {"dilations: expected one for each of 2 spatial dimensions, got 1",
           [](auto &a) { setIntegers(addConvolution(a), "dilations", {1}); }},
          {"groups: expected 1 to 140737488355328, got 0",
           [](auto &a) { setInteger(addConvolution(a), "groups", 0); }},
          {"1 groups do not divide 2 channels and 4 filters of 1 channels",
           [](auto &a) { setInteger(addConvolution(a), "groups", 1); }},
          {"expected 2 images of 4 channels, got 2 of 3",
           [](auto &a) {
             setOperand(addConvolution(a), "result",
                        arenaView(512, {2, 3, 3, 2}));
           }},
          {"expected extent 2 of spatial dimension 0, got 3",
           [](auto &a) { setIntegers(addConvolution(a), "pads_end", {0, 0}); }},
          {"expected extent 0 of spatial dimension 1, got 2",
           [](auto &a) {
             setIntegers(addConvolution(a), "dilations", {1, 2});
           }},
          {"strides: expected 1 to 2147483647, got 0",
           [](auto &a) { setIntegers(addConvolution(a), "strides", {0, 1}); }},
          {"pads_begin: expected 0 to 2147483647, got -1",
           [](auto &a) {
             setIntegers(addConvolution(a), "pads_begin", {-1, 0});
           }},
          {"dilations: expected 1 to 2147483647, got 4294967296",
           [](auto &a) {
             setIntegers(addConvolution(a), "dilations", {int64_t(1) << 32, 1});
           }},
          {"input: dimension 9223372036854775807 is out of range",
           [](auto &a) {
             operandOf(addConvolution(a), "input").dims = {0, 2, INT64_MAX, 4};
           }},
          {"bias: expected one value per channel",
           [](auto &a) { operandOf(addConvolution(a), "bias").dims = {3}; }},
          {"packed filter: expected a constant",
           [](auto &a) { setInteger(addConvolution(a), "pack_filter", true); }},
          {"result: elements overlap",
           [](auto &a) {
             operandOf(addConvolution(a), "result").strides[0] = 3;
           }},
          {"onednn convolution scratch: 9 bytes at offset 1016",
           [](auto &a) {
             addConvolution(a).scratch = address(Base::arena, 0, 1016);
             lastCall(a).scratch_bytes = 9;
           }},
      });
}

} // namespace
} // namespace minic::format
