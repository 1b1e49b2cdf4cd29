// SPDX-License-Identifier: Apache-2.0
//
// Sums of products as tensor cores add them.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTPRODUCTS_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTPRODUCTS_H

#include "test/unit/compiler/target/cuda/SimtValues.h"

namespace minic::cuda {

/// `sum` plus `count` products, as tensor cores add them: all are aligned to
/// the largest and cut off `spareBits` below a float's last, and so is their
/// sum, at a float's last bit. An A100 adds four products of tf32 at once,
/// eight of 16 bits, with one spare bit; an H100 twice as many with two.
/// (Khattak and Mikaitis, Accurate Models of NVIDIA Tensor Cores, arXiv
/// 2512.07004.)
inline float addProducts(float sum, llvm::ArrayRef<double> a,
                         llvm::ArrayRef<double> b, int64_t count,
                         int spareBits) {
  llvm::SmallVector<double, 17> terms = {double(sum)};
  double largest = std::abs(sum), exact = sum;
  for (int64_t i = 0; i != count; ++i) {
    terms.push_back(a[size_t(i)] * b[size_t(i)]);
    largest = std::max(largest, std::abs(terms.back()));
    exact += terms.back();
  }
  if (!std::isfinite(exact) || largest == 0) {
    return float(exact);
  }
  double unit = std::ldexp(1.0, std::ilogb(largest) - 23 - spareBits), cut = 0;
  for (double term : terms) {
    cut += std::trunc(term / unit) * unit;
  }
  return std::abs(cut) < 0x1p128 ? cutToFloat(cut) : float(cut);
}

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTPRODUCTS_H
