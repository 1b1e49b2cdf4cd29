// SPDX-License-Identifier: Apache-2.0
//
// ConvolutionCase: convolutions to test with, as the plan describes them.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNPROBLEMS_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNPROBLEMS_H

#include "test/unit/runtime/testing/CallTables.h"
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
  format::CallT descriptor() const {
    using namespace minic::testing;
    using format::Base;
    auto view = [&](Base base, uint32_t index, std::vector<int64_t> dims) {
      std::vector<int64_t> strides =
          stridesOf(dims, index == 1 && base == Base::input);
      return tensorView({base, index, 0}, std::move(dims), std::move(strides),
                        dtype);
    };
    format::CallT call = libraryCall("cudnn", "convolution");
    setOperand(call, "input", view(Base::input, 0, inputDims()));
    setOperand(call, "filter", view(Base::input, 1, filterDims()));
    if (hasBias) {
      setOperand(call, "bias", view(Base::input, 2, {1, k, 1, 1}));
    }
    if (hasAddend) {
      setOperand(call, "addend", view(Base::input, 3, resultDims()));
    }
    setOperand(call, "result", view(Base::output, 0, resultDims()));
    setIntegers(call, "strides", strides);
    setIntegers(call, "pads_begin", padsBegin);
    setIntegers(call, "pads_end", padsEnd);
    setIntegers(call, "dilations", dilations);
    setInteger(call, "groups", groups);
    if (activation) {
      addEltwise(call, *activation, alpha, beta);
    }
    setText(call, "compute", tf32 ? "tf32" : "f32");
    call.algorithm = engine;
    setScratch(call, {Base::arena, 0, 0}, scratchBytes);
    return call;
  }
};

} // namespace minic::runtime

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNPROBLEMS_H
