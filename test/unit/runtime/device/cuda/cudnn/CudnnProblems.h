// SPDX-License-Identifier: Apache-2.0
//
// ConvolutionCase: convolutions to test with, as the plan describes them.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNPROBLEMS_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNPROBLEMS_H

#include "test/unit/runtime/testing/PackedTable.h"

#include <optional>
#include <string>

namespace minic::runtime {

struct ConvolutionCase {
  std::string name;
  format::DType dtype = format::DType::f32;
  bool isNhwc = false;
  bool isFilterNhwc = false; // in any case where isNhwc
  bool tf32 = false;
  int64_t n = 2, c = 16, h = 9, w = 11, k = 24, r = 3, s = 3, groups = 1;
  std::vector<int64_t> strides = {1, 1}, padsBegin = {0, 0}, padsEnd = {0, 0},
                       dilations = {1, 1};
  bool hasBias = false, hasAddend = false;
  std::optional<format::EltwiseKind> activation;
  float alpha = 0, beta = 0;
  std::string engine;
  uint64_t scratchBytes = 64 << 20;

  int64_t outH() const {
    return (h + padsBegin[0] + padsEnd[0] - dilations[0] * (r - 1) - 1) /
               strides[0] +
           1;
  }
  int64_t outW() const {
    return (w + padsBegin[1] + padsEnd[1] - dilations[1] * (s - 1) - 1) /
               strides[1] +
           1;
  }
  std::vector<int64_t> inputDims() const { return {n, c, h, w}; }
  std::vector<int64_t> filterDims() const { return {k, c / groups, r, s}; }
  std::vector<int64_t> resultDims() const { return {n, k, outH(), outW()}; }

  /// Of a dense [N, C, H, W] tensor in this case's order.
  std::vector<int64_t> stridesOf(const std::vector<int64_t> &dims,
                                 bool isFilter = false) const {
    if (isNhwc || (isFilter && isFilterNhwc)) {
      return {dims[1] * dims[2] * dims[3], 1, dims[3] * dims[1], dims[1]};
    }
    return {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};
  }

  /// Input, filter, bias and addend are inputs 0 to 3; the workspace is the
  /// arena.
  format::CudnnConvolutionT descriptor() const {
    using format::Base;
    auto view = [&](Base base, uint32_t index, std::vector<int64_t> dims) {
      std::vector<int64_t> strides =
          stridesOf(dims, index == 1 && base == Base::input);
      return minic::testing::tensorView({base, index, 0}, std::move(dims),
                                        std::move(strides), dtype);
    };
    format::CudnnConvolutionT call;
    call.input = view(Base::input, 0, inputDims());
    call.filter = view(Base::input, 1, filterDims());
    if (hasBias) {
      call.bias = view(Base::input, 2, {1, k, 1, 1});
    }
    if (hasAddend) {
      call.addend = view(Base::input, 3, resultDims());
    }
    call.result = view(Base::output, 0, resultDims());
    call.strides = strides;
    call.pads_begin = padsBegin;
    call.pads_end = padsEnd;
    call.dilations = dilations;
    call.groups = groups;
    if (activation) {
      call.activation = std::make_unique<format::EltwisePostOpT>();
      call.activation->kind = *activation;
      call.activation->alpha = alpha;
      call.activation->beta = beta;
    }
    call.compute = tf32 ? format::ComputeType::tf32 : format::ComputeType::f32;
    call.engine = engine;
    call.scratch_bytes = scratchBytes;
    call.scratch = std::make_unique<format::Address>(Base::arena, 0, 0);
    return call;
  }
};

} // namespace minic::runtime

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNPROBLEMS_H
