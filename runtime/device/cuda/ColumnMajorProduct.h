// SPDX-License-Identifier: Apache-2.0
//
// ColumnMajorProduct: a row-major product as a column-major library computes
// it, with operands swapped.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_COLUMNMAJORPRODUCT_H
#define MINIC_RUNTIME_DEVICE_CUDA_COLUMNMAJORPRODUCT_H

#include "runtime/format/plan_generated.h"

#include "absl/status/statusor.h"

#include <library_types.h>

namespace minic::runtime {

/// A matrix in memory: `rows` contiguous elements in each of `columns`, one
/// column every `pitch` elements, one matrix of a batch every `batchStride`.
struct ColumnMajorMatrix {
  cudaDataType_t type = CUDA_R_32F;
  int64_t rows = 0, columns = 0, pitch = 0, batchStride = 0;
  bool transposed = false; // the product wants it transposed
};

/// result = lhs * rhs, all row-major, is result^T = rhs^T * lhs^T, all
/// column-major: a = rhs, b = lhs, and a row of the result is a column of d. So
/// bias, one value per column of the result, is one per row of d.
struct ColumnMajorProduct {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  ColumnMajorMatrix a, b, d;

  bool isEmpty() const { return m == 0 || n == 0 || batch == 0; }
};

/// `rest` are views of the result's shape; their matrices are appended to
/// `restMatrices`. A batch of lhs with one rhs becomes more rows of lhs where
/// strides allow. Unimplemented where no dimension of a matrix is contiguous or
/// batches are not one stride apart.
absl::StatusOr<ColumnMajorProduct>
toColumnMajor(const format::TensorView &lhs, const format::TensorView &rhs,
              const format::TensorView &result,
              std::initializer_list<const format::TensorView *> rest = {},
              std::initializer_list<ColumnMajorMatrix *> restMatrices = {});

/// "8 x 256x1024x1024 bf16": of the product as written, for messages.
std::string describe(const ColumnMajorProduct &product);

/// Unimplemented for types other than f32, f16 and bf16.
absl::StatusOr<cudaDataType_t> toCudaType(format::DType dtype);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_COLUMNMAJORPRODUCT_H
