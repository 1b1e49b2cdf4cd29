// SPDX-License-Identifier: Apache-2.0
//
// PointwiseLoops: a pointwise body as loops over memory. Transposes, slices,
// broadcasts and reshapes disappear into the strides with which operands are
// read, and gathers of rows into where a row begins.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_POINTWISELOOPS_H
#define MINIC_COMPILER_TARGET_CODEGEN_POINTWISELOOPS_H

#include "dialects/kernel/FusionShape.h"

#include <optional>

namespace minic {

struct PointwiseLoops {
  /// Where data say which part of an operand is read: `stride` elements further
  /// for each of an index that is the same along the innermost loop.
  struct Gathered {
    size_t index; // of `reads`, an earlier one
    int64_t stride;
    int64_t extent; // of what is indexed
  };
  /// An operand of the fusion read with one stride (in elements) per loop; 0
  /// where it broadcasts.
  struct Read {
    unsigned argument;
    mlir::Type storage;
    llvm::SmallVector<int64_t> strides;
    int64_t offset = 0; // of the first element that is read
    std::optional<Gathered> gathered = {};
  };
  /// What is computed at each point, operands before users: a read, or a
  /// pointwise op on earlier nodes.
  struct Node {
    mlir::Operation *op = nullptr; // null: reads[read]
    size_t read = 0;
    llvm::SmallVector<size_t> operands;
  };

  /// Loop extents, outermost first, at least one; neighbouring dimensions that
  /// every operand walks alike are one loop. Results are dense over them.
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<Read> reads;
  llvm::SmallVector<Node> nodes;
  /// For each result of the fusion the node that computes it.
  llvm::SmallVector<size_t> results;

  /// Product of all extents but the innermost.
  int64_t rows() const;
  int64_t columns() const { return extents.back(); }
  /// True where an operand is read across rows.
  bool isTransposing() const;
  /// True where an index may be out of range, to be reported.
  bool gathers() const;
  /// Of the operands of `fusion`, what gathers leave out at least.
  double bytesLeftOut(kernel::FusionOp fusion) const;

  /// `shape` has no anchor. Fails with a reason where an element is not read at
  /// constant strides: a reshape of a transposed, sliced or broadcast value,
  /// unless it only gives the results their shape; and a gather of single
  /// elements, or of or by what the body computes.
  static mlir::FailureOr<PointwiseLoops> get(const kernel::FusionShape &shape,
                                             std::string &reason);
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_POINTWISELOOPS_H
