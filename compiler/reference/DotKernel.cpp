// SPDX-License-Identifier: Apache-2.0
//
// Blocked float64 matrix product. Operands are packed block by block into
// panels, so that the kernel reads two contiguous streams whatever the layout.

#include "compiler/reference/DotKernel.h"

#include <algorithm>

namespace minic::reference {

namespace {

constexpr int64_t kPanelRows = 4;    // rows of a per kernel call
constexpr int64_t kPanelColumns = 8; // columns of b: one AVX-512 register
constexpr int64_t kDepth = 256;      // k per block: a panel of b is 16 KiB
constexpr int64_t kColumns = 256;    // columns of b packed at a time

using Vector = double __attribute__((vector_size(kPanelColumns * 8)));
using Mask = int64_t __attribute__((vector_size(kPanelColumns * 8)));

/// Adds to sums and absolute sums (kPanelRows x kPanelColumns each).
/// a: [depth][kPanelRows], b: [depth][kPanelColumns].
#if defined(__x86_64__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
void kernel(int64_t depth, const double *a, const double *b, double *sums,
            double *absoluteSums) {
  Vector sum[kPanelRows] = {}, absolute[kPanelRows] = {};
  const Mask magnitude = (Mask{} + INT64_MAX);
  for (int64_t k = 0; k < depth; ++k) {
    Vector column;
    __builtin_memcpy(&column, b + k * kPanelColumns, sizeof(column));
    Vector columnMagnitude = (Vector)((Mask)column & magnitude);
    for (int64_t row = 0; row < kPanelRows; ++row) {
      double x = a[k * kPanelRows + row];
      sum[row] += x * column;
      absolute[row] += __builtin_fabs(x) * columnMagnitude;
    }
  }
  for (int64_t row = 0; row < kPanelRows; ++row) {
    for (int64_t column = 0; column < kPanelColumns; ++column) {
      sums[row * kPanelColumns + column] = sum[row][column];
      absoluteSums[row * kPanelColumns + column] = absolute[row][column];
    }
  }
}

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Packs rows [first, first + count) x depth [k0, k0 + depth) of `matrix` into
/// panels of `width` rows: [panel][depth][width], zero beyond `count`. Rows
/// here are the dimension that is not summed over.
void pack(const RowReader &read, bool rowsAreDepth, int64_t first,
          int64_t count, int64_t k0, int64_t depth, int64_t width,
          std::vector<double> &packed) {
  packed.assign(ceilDiv(count, width) * width * depth, 0);
  std::vector<double> run(std::max(count, depth));
  auto slot = [&](int64_t i, int64_t k) -> double & {
    return packed[((i / width) * depth + k) * width + i % width];
  };
  if (rowsAreDepth) {
    for (int64_t k = 0; k < depth; ++k) {
      read(k0 + k, first, count, run.data());
      for (int64_t i = 0; i < count; ++i) {
        slot(i, k) = run[i];
      }
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    read(first + i, k0, depth, run.data());
    double *panel = &slot(i, 0);
    for (int64_t k = 0; k < depth; ++k) {
      panel[k * width] = run[k];
    }
  }
}

} // namespace

DotSums dot(int64_t m, int64_t n, int64_t k, const MatrixReader &a,
            const MatrixReader &b) {
  DotSums result;
  result.signedSums.assign(m * n, 0);
  result.absoluteSums.assign(m * n, 0);
  std::vector<double> packedA, packedB;
  double sums[kPanelRows * kPanelColumns], absolute[kPanelRows * kPanelColumns];
  for (int64_t k0 = 0; k0 < k; k0 += kDepth) {
    int64_t depth = std::min(kDepth, k - k0);
    pack(a.read, a.transposed, 0, m, k0, depth, kPanelRows, packedA);
    for (int64_t n0 = 0; n0 < n; n0 += kColumns) {
      int64_t columns = std::min(kColumns, n - n0);
      pack(b.read, !b.transposed, n0, columns, k0, depth, kPanelColumns,
           packedB);
      for (int64_t i = 0; i < m; i += kPanelRows) {
        int64_t rows = std::min(kPanelRows, m - i);
        for (int64_t j = 0; j < columns; j += kPanelColumns) {
          kernel(depth, packedA.data() + i * depth, packedB.data() + j * depth,
                 sums, absolute);
          int64_t width = std::min(kPanelColumns, columns - j);
          for (int64_t row = 0; row < rows; ++row) {
            int64_t out = (i + row) * n + n0 + j;
            for (int64_t column = 0; column < width; ++column) {
              result.signedSums[out + column] +=
                  sums[row * kPanelColumns + column];
              result.absoluteSums[out + column] +=
                  absolute[row * kPanelColumns + column];
            }
          }
        }
      }
    }
  }
  return result;
}

} // namespace minic::reference
