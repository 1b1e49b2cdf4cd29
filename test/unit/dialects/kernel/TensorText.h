// SPDX-License-Identifier: Apache-2.0
//
// Tensor types as text.

#ifndef MINIC_TEST_UNIT_DIALECTS_KERNEL_TENSORTEXT_H
#define MINIC_TEST_UNIT_DIALECTS_KERNEL_TENSORTEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace minic {

/// "tensor<4x6xbf16>"
inline std::string tensor(const std::vector<int64_t> &dims,
                          const std::string &dtype) {
  std::string text = "tensor<";
  for (int64_t dim : dims) {
    text += std::to_string(dim) + "x";
  }
  return text + dtype + ">";
}

} // namespace minic

#endif // MINIC_TEST_UNIT_DIALECTS_KERNEL_TENSORTEXT_H
