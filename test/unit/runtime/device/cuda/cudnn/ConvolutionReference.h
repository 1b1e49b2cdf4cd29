// SPDX-License-Identifier: Apache-2.0
//
// ConvolutionReference: what a ConvolutionCase has to compute, by loops in
// float64.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CONVOLUTIONREFERENCE_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CONVOLUTIONREFERENCE_H

#include "test/unit/runtime/device/cuda/StridedTensor.h"
#include "test/unit/runtime/device/cuda/cudnn/CudnnProblems.h"

#include <cmath>

namespace minic::runtime {

using format::EltwiseKind;

inline double applied(const ConvolutionCase &test, double x) {
  if (!test.activation) {
    return x;
  }
  switch (*test.activation) {
  case EltwiseKind::relu:
    return x < 0 ? 0 : x;
  case EltwiseKind::leaky_relu:
    return x < 0 ? test.alpha * x : x;
  case EltwiseKind::clamp:
    return std::min<double>(std::max<double>(x, test.alpha), test.beta);
  case EltwiseKind::tanh:
    return std::tanh(x);
  case EltwiseKind::sigmoid:
    return 1 / (1 + std::exp(-x));
  case EltwiseKind::silu:
    return x / (1 + std::exp(-x));
  case EltwiseKind::gelu_erf:
    return 0.5 * x * (1 + std::erf(x * std::sqrt(0.5)));
  case EltwiseKind::gelu_tanh:
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  default:
    return NAN;
  }
}

struct ConvolutionReference {
  const ConvolutionCase &test;
  const StridedTensor &input, &filter, &bias, &addend;

  struct Expected {
    double value, bound;
  };
  /// Of the result's element [n, k, y, x].
  Expected at(int64_t n, int64_t k, int64_t y, int64_t x) const {
    int64_t perGroup = test.c / test.groups;
    double sum = 0, magnitude = 0;
    for (int64_t c = 0; c < perGroup; ++c) {
      int64_t channel = k / (test.k / test.groups) * perGroup + c;
      for (int64_t r = 0; r < test.r; ++r) {
        for (int64_t s = 0; s < test.s; ++s) {
          int64_t iy =
              y * test.strides[0] - test.padsBegin[0] + r * test.dilations[0];
          int64_t ix =
              x * test.strides[1] - test.padsBegin[1] + s * test.dilations[1];
          if (iy < 0 || ix < 0 || iy >= test.h || ix >= test.w) {
            continue;
          }
          double product =
              input.at({n, channel, iy, ix}) * filter.at({k, c, r, s});
          sum += product;
          magnitude += std::abs(product);
        }
      }
    }
    double terms = double(perGroup * test.r * test.s);
    // tf32 keeps 11 bits of both factors.
    double bound =
        magnitude * (0x1p-24 * (terms + 4) + (test.tf32 ? 2.1 * 0x1p-11 : 0));
    if (test.hasBias) {
      sum += bias.at({0, k, 0, 0});
    }
    if (test.hasAddend) {
      sum += addend.at({n, k, y, x});
    }
    bound += 0x1p-22 * (std::abs(sum) + 2);
    double value = applied(test, sum);
    // No activation here has a slope above 1.2.
    bound =
        1.2 * bound + 1.01 * roundingOf(test.dtype) * std::abs(value) + 1e-7;
    return {value, bound};
  }
};

} // namespace minic::runtime

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CONVOLUTIONREFERENCE_H
