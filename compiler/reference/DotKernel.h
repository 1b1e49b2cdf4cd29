// SPDX-License-Identifier: Apache-2.0
//
// DotKernel: the float64 inner loop of contractions: sums of products and of
// their absolute values in one pass.

#ifndef MINIC_COMPILER_REFERENCE_DOTKERNEL_H
#define MINIC_COMPILER_REFERENCE_DOTKERNEL_H

#include <cstdint>
#include <functional>
#include <vector>

namespace minic::reference {

/// Writes `count` elements of matrix row `row`, from column `column` on.
using RowReader =
    std::function<void(int64_t row, int64_t column, int64_t count, double *)>;

/// A matrix of rows x columns that is read row by row.
struct MatrixReader {
  RowReader read;
  /// The rows that `read` gives are the columns of the matrix.
  bool transposed = false;
};

struct DotSums {
  /// m * n, row-major: sum over k of a * b and of |a * b|.
  std::vector<double> signedSums, absoluteSums;
};

/// Both sums for a [m, k] and b [k, n]. Values may be infinite or NaN.
DotSums dot(int64_t m, int64_t n, int64_t k, const MatrixReader &a,
            const MatrixReader &b);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_DOTKERNEL_H
