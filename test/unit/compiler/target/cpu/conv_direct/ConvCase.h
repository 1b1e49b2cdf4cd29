// SPDX-License-Identifier: Apache-2.0
//
// ConvCase: a convolution by its numbers, and as text.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_CONV_DIRECT_CONVCASE_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_CONV_DIRECT_CONVCASE_H

#include "test/unit/dialects/kernel/TensorText.h"

#include <cstdint>
#include <string>
#include <vector>

namespace minic::cpu {

struct ConvCase {
  int64_t n, c, h, w, k, r, s;
  int64_t strideH = 1, strideW = 1;
  int64_t top = 0, left = 0, bottom = 0, right = 0;
  int64_t dilationH = 1, dilationW = 1, groups = 1;
  bool nhwc = true;
  std::string dtype = "f32";

  int64_t p() const {
    return (h + top + bottom - dilationH * (r - 1) - 1) / strideH + 1;
  }
  int64_t q() const {
    return (w + left + right - dilationW * (s - 1) - 1) / strideW + 1;
  }
  std::string tensor(const std::vector<int64_t> &dims) const {
    return minic::tensor(dims, dtype);
  }
  std::string image(int64_t channels, int64_t height, int64_t width) const {
    return tensor(nhwc ? std::vector<int64_t>{n, height, width, channels}
                       : std::vector<int64_t>{n, channels, height, width});
  }
  std::string input() const { return image(c, h, w); }
  std::string result() const { return image(k, p(), q()); }
  std::string filter() const { return tensor({k, c / groups, r, s}); }
  std::string bias() const { return tensor({k}); }
  /// A bias for graph.add.
  std::string perChannel() const {
    return nhwc ? tensor({k}) : tensor({k, 1, 1});
  }

  /// graph.conv2d of `operands`, with or without a bias.
  std::string op(const std::string &operands, bool hasBias) const {
    auto list = [](const std::vector<int64_t> &values) {
      std::string text = "array<i64: ";
      for (size_t i = 0; i != values.size(); ++i) {
        text += (i ? ", " : "") + std::to_string(values[i]);
      }
      return text + ">";
    };
    return "graph.conv2d " + operands +
           " {strides = " + list({strideH, strideW}) +
           ", pads = " + list({top, left, bottom, right}) +
           ", dilations = " + list({dilationH, dilationW}) +
           ", groups = " + std::to_string(groups) + " : i64, layout = \"" +
           (nhwc ? "nhwc" : "nchw") + "\"} : (" + input() + ", " + filter() +
           (hasBias ? ", " + bias() : "") + ") -> " + result() + "\n";
  }
};

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_CONV_DIRECT_CONVCASE_H
