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
  auto &convolution = artifact.call<CudnnConvolutionT>();
  convolution.input = arenaView(0, {2, 4, 5, 5}, DType::f16);
  convolution.filter = arenaView(512, {8, 4, 3, 3}, DType::f16);
  convolution.bias = arenaView(1152, {1, 8, 1, 1}, DType::f16);
  convolution.addend = arenaView(1280, {2, 8, 5, 5}, DType::f16);
  convolution.result = arenaView(2304, {2, 8, 5, 5}, DType::f16);
  convolution.strides = convolution.dilations = {1, 1};
  convolution.pads_begin = convolution.pads_end = {1, 1};
  convolution.activation = std::make_unique<EltwisePostOpT>();
  convolution.engine = "eng38_k2=5";
  convolution.scratch = address(Base::arena, 0, 3584);
  convolution.scratch_bytes = 512;
  return artifact;
}

/// y[1, 2, 3] = x[1, 2, 4] * w[1, 4, 3] + b[3].
TestArtifact soundMatmul() {
  TestArtifact artifact;
  artifact.variant().target = "cuda";
  artifact.variant().arena_bytes = 512;
  auto &matmul = artifact.call<CudnnMatmulT>();
  matmul.lhs = arenaView(0, {1, 2, 4});
  matmul.rhs = arenaView(64, {1, 4, 3});
  matmul.bias = arenaView(128, {3});
  matmul.result = arenaView(192, {1, 2, 3});
  return artifact;
}

CudnnConvolutionT &convolution(TestArtifact &artifact) {
  return lastCall<CudnnConvolutionT>(artifact);
}
CudnnMatmulT &matmul(TestArtifact &artifact) {
  return lastCall<CudnnMatmulT>(artifact);
}

TEST(CudnnCheckerTest, acceptsWhatIsSound) {
  expectSound(soundConvolution());
  expectSound(soundMatmul());
}

TEST(CudnnCheckerTest, checksConvolutions) {
  expectDamageFound(
      soundConvolution,
      {
          {"CudnnConvolution in a plan for cpu",
           [](auto &a) { a.variant().target = "cpu"; }},
          {"dtypes of input and filter: expected one float type",
           [](auto &a) { convolution(a).filter->dtype = DType::bf16; }},
          {"expected extent 3 of spatial dimension 0, got 5",
           [](auto &a) { convolution(a).strides = {2, 1}; }},
          {"bias: expected one value per channel",
           [](auto &a) { convolution(a).bias->dims = {1, 4, 1, 1}; }},
          {"bias: expected one value per channel",
           [](auto &a) { convolution(a).bias->dims = {1, 8, 1, 2}; }},
          {"addend: shape or dtype is not the result's",
           [](auto &a) { convolution(a).addend->dims[0] = 1; }},
          {"unknown eltwise kind 200",
           [](auto &a) { convolution(a).activation->kind = EltwiseKind(200); }},
          {"compute type tf32 of f16 operands",
           [](auto &a) { convolution(a).compute = ComputeType::tf32; }},
          {"cudnn convolution scratch: 513 bytes",
           [](auto &a) { convolution(a).scratch_bytes = 513; }},
      });
}

TEST(CudnnCheckerTest, checksMatmuls) {
  expectDamageFound(
      soundMatmul,
      {
          {"cudnn matmul rhs: 48 bytes at offset 480",
           [](auto &a) {
             matmul(a).rhs->address = address(Base::arena, 0, 480);
           }},
          {"do not multiply", [](auto &a) { matmul(a).lhs->dims[2] = 3; }},
          {"bias: expected one value per column",
           [](auto &a) { matmul(a).bias->dims = {2}; }},
          {"result: elements overlap",
           [](auto &a) { matmul(a).result->strides = {6, 1, 1}; }},
          {"dtypes of lhs and rhs",
           [](auto &a) {
             matmul(a).lhs->dtype = matmul(a).rhs->dtype = DType::i32;
           }},
          {"unknown compute type 2",
           [](auto &a) { matmul(a).compute = ComputeType(2); }},
      });
}

} // namespace
} // namespace minic::format
