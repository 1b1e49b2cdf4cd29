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
OnednnMatmulT &addMatmul(TestArtifact &artifact) {
  OnednnMatmulT &matmul = artifact.matmul();
  matmul.lhs = arenaView(0, {2, 4});
  matmul.rhs = arenaView(64, {4, 3});
  matmul.result = arenaView(128, {2, 3});
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
           [](auto &a) { addMatmul(a).lhs->strides = {1}; }},
          {"lhs: stride -4 is out of range",
           [](auto &a) { addMatmul(a).lhs->strides = {-4, 1}; }},
          {"lhs: stride",
           [](auto &a) { addMatmul(a).lhs->strides = {INT64_MAX, INT64_MAX}; }},
          {"rhs: 240 bytes at offset 64",
           [](auto &a) { addMatmul(a).rhs->strides = {19, 1}; }},
          {"result: offset 130 is not a multiple",
           [](auto &a) {
             addMatmul(a).result->address = address(Base::arena, 0, 130);
           }},
          {"result: constant memory is read-only",
           [](auto &a) {
             addMatmul(a).result->address = address(Base::constant, 0, 0);
           }},
          {"do not multiply", [](auto &a) { addMatmul(a).rhs->dims = {3, 3}; }},
          {"bias does not broadcast",
           [](auto &a) {
             OnednnMatmulT &matmul = addMatmul(a);
             matmul.bias = std::make_unique<TensorViewT>(*matmul.lhs);
           }},
          {"packed rhs: expected a constant",
           [](auto &a) { addMatmul(a).pack_rhs = true; }},
          {"result: elements overlap at stride 2",
           [](auto &a) { addMatmul(a).result->strides = {2, 1}; }},
          {"result: elements overlap at stride 0",
           [](auto &a) { addMatmul(a).result->strides = {0, 1}; }},
          {"scratch: expected an address for 64 bytes",
           [](auto &a) { addMatmul(a).scratch_bytes = 64; }},
          {"OnednnMatmul in a plan for cuda",
           [](auto &a) {
             addMatmul(a);
             a.variant().run.erase(a.variant().run.begin(),
                                   a.variant().run.end() - 1);
             a.variant().target = "cuda";
           }},
          {"onednn matmul scratch",
           [](auto &a) {
             OnednnMatmulT &matmul = addMatmul(a);
             matmul.scratch = address(Base::arena, 0, 192);
             matmul.scratch_bytes = 65;
           }},
          {"unknown eltwise kind 200",
           [](auto &a) {
             OnednnMatmulT &matmul = addMatmul(a);
             matmul.post_ops.push_back(std::make_unique<PostOpEntryT>());
             EltwisePostOpT eltwise;
             eltwise.kind = EltwiseKind(200);
             matmul.post_ops[0]->post_op.Set(std::move(eltwise));
           }},
          {"post-op operand does not broadcast",
           [](auto &a) {
             OnednnMatmulT &matmul = addMatmul(a);
             matmul.post_ops.push_back(std::make_unique<PostOpEntryT>());
             BinaryPostOpT binary;
             binary.operand = std::make_unique<TensorViewT>(*matmul.lhs);
             matmul.post_ops[0]->post_op.Set(std::move(binary));
           }},
      });
}

/// y[2, 4, 3, 2] = x[2, 2, 5, 4] * w[4, 1, 2, 3], two groups, stride 2 x 1,
/// padded by 1 below and 0 elsewhere.
OnednnConvolutionT &addConvolution(TestArtifact &artifact) {
  artifact.variant().arena_bytes = 1024;
  auto &convolution = artifact.call<OnednnConvolutionT>();
  convolution.input = arenaView(0, {2, 2, 5, 4});
  convolution.filter = arenaView(320, {4, 1, 2, 3});
  convolution.bias = arenaView(448, {4});
  convolution.result = arenaView(512, {2, 4, 3, 2});
  convolution.strides = {2, 1};
  convolution.pads_begin = {0, 0};
  convolution.pads_end = {1, 0};
  convolution.dilations = {1, 1};
  convolution.groups = 2;
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
          {"input: rank 2 with 2 strides",
           [](auto &a) { addConvolution(a).input = arenaView(0, {2, 2}); }},
          {"expected the same from 3 to 5, got 4, 3, 4",
           [](auto &a) { addConvolution(a).filter = arenaView(0, {4, 1, 2}); }},
          {"strides, pads and dilations: expected 2 each, got 1",
           [](auto &a) { addConvolution(a).dilations = {1}; }},
          {"0 groups do not divide",
           [](auto &a) { addConvolution(a).groups = 0; }},
          {"1 groups do not divide 2 channels and 4 filters of 1 channels",
           [](auto &a) { addConvolution(a).groups = 1; }},
          {"expected 2 images of 4 channels, got 2 of 3",
           [](auto &a) {
             addConvolution(a).result = arenaView(512, {2, 3, 3, 2});
           }},
          {"expected extent 2 of spatial dimension 0, got 3",
           [](auto &a) { addConvolution(a).pads_end = {0, 0}; }},
          {"expected extent 0 of spatial dimension 1, got 2",
           [](auto &a) { addConvolution(a).dilations = {1, 2}; }},
          {"stride 0, pads",
           [](auto &a) { addConvolution(a).strides = {0, 1}; }},
          {"pads -1 and 1",
           [](auto &a) { addConvolution(a).pads_begin = {-1, 0}; }},
          {"dilation 4294967296 are out of range",
           [](auto &a) {
             addConvolution(a).dilations = {int64_t(1) << 32, 1};
           }},
          {"input: dimension 9223372036854775807 is out of range",
           [](auto &a) {
             addConvolution(a).input->dims = {0, 2, INT64_MAX, 4};
           }},
          {"bias: expected one value per channel",
           [](auto &a) { addConvolution(a).bias->dims = {3}; }},
          {"packed filter: expected a constant",
           [](auto &a) { addConvolution(a).pack_filter = true; }},
          {"result: elements overlap",
           [](auto &a) { addConvolution(a).result->strides[0] = 3; }},
          {"onednn convolution scratch: 9 bytes at offset 1016",
           [](auto &a) {
             addConvolution(a).scratch = address(Base::arena, 0, 1016);
             lastCall<OnednnConvolutionT>(a).scratch_bytes = 9;
           }},
      });
}

} // namespace
} // namespace minic::format
