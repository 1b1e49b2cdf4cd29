// SPDX-License-Identifier: Apache-2.0
//
// Pitches and transposes from strides.

#include "runtime/device/cuda/ColumnMajorProduct.h"

#include "runtime/base/Tensor.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace minic::runtime {

using format::TensorView;

absl::StatusOr<cudaDataType_t> toCudaType(format::DType dtype) {
  switch (dtype) {
  case format::DType::f32:
    return CUDA_R_32F;
  case format::DType::f16:
    return CUDA_R_16F;
  case format::DType::bf16:
    return CUDA_R_16BF;
  default:
    return absl::UnimplementedError(absl::StrCat(
        "unsupported: ", format::EnumNameDType(dtype), " in a cuBLAS product"));
  }
}

/// The last two dimensions. Row-major memory is what a column-major library
/// reads as the transpose, which the swapped product wants: not `transposed`.
static absl::StatusOr<ColumnMajorMatrix> matrixOf(const TensorView &view) {
  ColumnMajorMatrix matrix;
  absl::StatusOr<cudaDataType_t> type = toCudaType(view.dtype());
  if (!type.ok()) {
    return type.status();
  }
  matrix.type = *type;
  uint32_t rank = view.dims()->size();
  int64_t rows = view.dims()->Get(rank - 2),
          columns = view.dims()->Get(rank - 1);
  int64_t rowStride = view.strides()->Get(rank - 2);
  int64_t columnStride = view.strides()->Get(rank - 1);
  // A dimension of one element may have any stride.
  auto fits = [](int64_t inner, int64_t innerStride, int64_t outer,
                 int64_t outerStride) {
    return (innerStride == 1 || inner <= 1) &&
           (outerStride >= inner || outer <= 1);
  };
  if (fits(columns, columnStride, rows, rowStride)) {
    matrix.rows = columns;
    matrix.columns = rows;
    matrix.pitch = std::max(rowStride, columns);
  } else if (fits(rows, rowStride, columns, columnStride)) {
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.pitch = std::max(columnStride, rows);
    matrix.transposed = true;
  } else {
    return absl::UnimplementedError(absl::StrCat(
        "unsupported: a matrix of ", rows, "x", columns, " with strides ",
        rowStride, " and ", columnStride, " in a cuBLAS product"));
  }
  matrix.pitch = std::max<int64_t>(matrix.pitch, 1);
  return matrix;
}

/// Elements between matrices of `view` where `result` has `batch` of them: 0
/// where `view` has one for all.
static absl::StatusOr<int64_t> batchStride(const TensorView &view,
                                           const TensorView &result) {
  int64_t stride = 0, inside = 1; // of the dimensions so far, innermost first
  for (uint32_t i = result.dims()->size() - 2; i-- > 0;) {
    int64_t extent = result.dims()->Get(i);
    if (extent == 1) {
      continue;
    }
    int64_t step = view.dims()->Get(i) == 1 ? 0 : view.strides()->Get(i);
    if (inside == 1) {
      stride = step;
    } else if (step != stride * inside) {
      return absl::UnimplementedError(
          "unsupported: batch dimensions that are not one stride apart in a "
          "cuBLAS product");
    }
    inside *= extent;
  }
  return stride;
}

static absl::Status addBatch(ColumnMajorMatrix &matrix, const TensorView &view,
                             const TensorView &result) {
  absl::StatusOr<int64_t> stride = batchStride(view, result);
  if (stride.ok()) {
    matrix.batchStride = *stride;
  }
  return stride.status();
}

/// Whether the columns of all matrices of a batch are one pitch apart.
static bool isOneMatrix(const ColumnMajorMatrix &matrix) {
  return !matrix.transposed &&
         matrix.batchStride == matrix.columns * matrix.pitch;
}

absl::StatusOr<ColumnMajorProduct>
toColumnMajor(const TensorView &lhs, const TensorView &rhs,
              const TensorView &result,
              std::initializer_list<const TensorView *> rest,
              std::initializer_list<ColumnMajorMatrix *> restMatrices) {
  ColumnMajorProduct product;
  uint32_t rank = result.dims()->size();
  product.m = result.dims()->Get(rank - 1);
  product.n = result.dims()->Get(rank - 2);
  product.k = lhs.dims()->Get(rank - 1);
  for (uint32_t i = 0; i + 2 < rank; ++i) {
    product.batch *= result.dims()->Get(i);
  }
  std::vector<std::pair<const TensorView *, ColumnMajorMatrix *>> matrices = {
      {&rhs, &product.a}, {&lhs, &product.b}, {&result, &product.d}};
  std::vector<ColumnMajorMatrix *> foldable = {&product.b, &product.d};
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest.begin()[i]) {
      matrices.push_back({rest.begin()[i], restMatrices.begin()[i]});
      foldable.push_back(restMatrices.begin()[i]);
    }
  }
  for (auto [view, matrix] : matrices) {
    absl::StatusOr<ColumnMajorMatrix> made = matrixOf(*view);
    if (!made.ok()) {
      return made.status();
    }
    *matrix = *made;
    if (absl::Status status = addBatch(*matrix, *view, result); !status.ok()) {
      return status;
    }
    bool isResult = matrix != &product.a && matrix != &product.b;
    if (isResult && matrix->transposed) {
      return absl::UnimplementedError(
          "unsupported: a column-major result of a cuBLAS product");
    }
  }
  if (product.batch > 1 && product.a.batchStride == 0 &&
      std::all_of(
          foldable.begin(), foldable.end(),
          [](ColumnMajorMatrix *matrix) { return isOneMatrix(*matrix); })) {
    for (ColumnMajorMatrix *matrix : foldable) {
      matrix->columns *= product.batch;
      matrix->batchStride = 0;
    }
    product.n *= product.batch;
    product.batch = 1;
  }
  return product;
}

std::string describe(const ColumnMajorProduct &product) {
  auto name = [](cudaDataType_t type) {
    return type == CUDA_R_32F ? "f32" : type == CUDA_R_16F ? "f16" : "bf16";
  };
  std::string text =
      product.batch == 1 ? "" : absl::StrCat(product.batch, " x ");
  absl::StrAppend(&text, product.n, "x", product.m, "x", product.k, " ",
                  name(product.b.type));
  if (product.d.type != product.b.type) {
    absl::StrAppend(&text, " to ", name(product.d.type));
  }
  return text;
}

} // namespace minic::runtime
