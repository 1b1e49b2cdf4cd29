// SPDX-License-Identifier: Apache-2.0
//
// RowTensor: some rows of a tensor in float64, each element with its error; and
// the arithmetic of row indices.

#ifndef MINIC_COMPILER_REFERENCE_ROWTENSOR_H
#define MINIC_COMPILER_REFERENCE_ROWTENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/BitVector.h"

#include <vector>

namespace minic::reference {

/// Rows of `type`: the product of all dimensions but the last (1 for rank 0).
int64_t rowCount(mlir::RankedTensorType type);
/// Elements of a row: the last dimension (1 for rank 0).
int64_t rowLength(mlir::RankedTensorType type);

/// The numbers kept for each element; see Tolerance.h.
enum class Channel { Value, Error, Spread };

/// The rows of one tensor that are computed or given. Given exact tensors are
/// read from the caller's bytes and never converted as a whole.
class RowTensor {
public:
  /// All rows of `type` at `bytes` (dense row-major, i1 in one byte; not
  /// owned).
  static RowTensor given(mlir::RankedTensorType type, const void *bytes);
  /// Zeros for the rows set in `rows`, to be filled through data().
  static RowTensor computed(mlir::RankedTensorType type,
                            const llvm::BitVector &rows);

  mlir::RankedTensorType type() const { return type_; }
  mlir::Type dtype() const { return type_.getElementType(); }
  int64_t length() const { return length_; }
  /// No element has an error.
  bool isExact() const { return errors_.empty(); }
  /// The rows there are of a computed tensor, ascending.
  const std::vector<int64_t> &rows() const { return rows_; }

  /// Reads `count` elements of a row that is there, from `column` on.
  void read(Channel channel, int64_t row, int64_t column, int64_t count,
            double *out) const;
  std::vector<double> readRow(Channel channel, int64_t row) const;
  /// A row of a computed tensor. Errors and spreads are finished by settle().
  double *data(Channel channel, int64_t row);
  /// Drops errors that are all zero.
  void settle();
  /// Makes every element exact.
  void dropErrors();

private:
  int64_t offset(int64_t row) const;
  mlir::RankedTensorType type_;
  int64_t length_ = 1;
  const char *bytes_ = nullptr;
  std::vector<int64_t> rows_;
  std::vector<double> values_, errors_, spreads_;
};

/// Maps a row-major index over `space` to the one over `operand` that NumPy
/// broadcasting pairs with it; `operand` has at most the rank of `space`.
class BroadcastIndex {
public:
  BroadcastIndex(llvm::ArrayRef<int64_t> operand,
                 llvm::ArrayRef<int64_t> space);
  int64_t operator()(int64_t index) const;

private:
  llvm::SmallVector<int64_t> extents_, strides_;
};

/// The same for rows: all dimensions but the last of both.
BroadcastIndex broadcastRows(mlir::RankedTensorType operand,
                             mlir::RankedTensorType space);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_ROWTENSOR_H
