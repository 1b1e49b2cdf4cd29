// SPDX-License-Identifier: Apache-2.0
//
// RowFusion: a body as one pass or several over rows: softmax, norms and
// reductions with the pointwise ops around them. Named ops are seen as their
// stages; no op is asked for its name.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_ROWFUSION_H
#define MINIC_COMPILER_TARGET_CODEGEN_ROWFUSION_H

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/OwningOpRef.h"

namespace minic {

struct RowFusion {
  /// An operand of the fusion with one stride (in elements) per loop, 0 where
  /// it broadcasts.
  struct Read {
    unsigned argument;
    mlir::Type storage;
    int64_t offset = 0;
    llvm::SmallVector<int64_t> strides;
  };
  /// A value, operands before users: what is read, a pointwise op on earlier
  /// nodes, or a reduction of them (ReductionOpInterface) over the row.
  struct Node {
    mlir::Operation *op = nullptr; // null: reads[read]
    size_t read = 0;
    llvm::SmallVector<size_t> operands;
    /// One value for each row; otherwise one for each column of a row. All
    /// reductions are, and what is computed from them alone.
    bool isPerRow = false;
    /// How many passes over the row must have ended before it is known. A
    /// reduction is known one pass later than its operands.
    int64_t pass = 0;
  };
  /// A result of the fusion, written with one stride per loop; 0 for the loops
  /// of columns where `node` is per row.
  struct Result {
    size_t node;
    mlir::Type storage;
    llvm::SmallVector<int64_t> strides;
  };

  /// The loops, outermost first: `rowLoops` of them over rows, then at least
  /// one over the columns of a row. Neighbours that all tensors walk alike are
  /// one loop. A row's elements are numbered as these loops run.
  llvm::SmallVector<int64_t> extents;
  size_t rowLoops = 0;
  llvm::SmallVector<Read> reads;
  llvm::SmallVector<Node> nodes;
  llvm::SmallVector<Result> results;

  int64_t rows() const;
  int64_t columns() const;
  llvm::ArrayRef<int64_t> rowExtents() const {
    return llvm::ArrayRef(extents).take_front(rowLoops);
  }
  llvm::ArrayRef<int64_t> columnExtents() const {
    return llvm::ArrayRef(extents).drop_front(rowLoops);
  }
  bool isReduction(const Node &node) const;
  /// Does not depend on the column.
  bool isPerRow(const Read &read) const;
  bool isPerRow(const Result &result) const;
  /// Does not depend on the row, as a norm's scale.
  bool isPerColumn(const Read &read) const;
  /// Whether every result has its rows in memory one behind the other, in the
  /// order of the loops.
  bool writesRowsInOrder() const;
  /// How often a row is walked: once per pass that ends in reductions, and once
  /// more where a result needs what the last of them gave.
  int64_t passes() const;

  /// Takes reductions that share one space of rows and columns, in one or more
  /// passes, pointwise ops between, before and after them, and ops that move
  /// one operand's elements. Fails with a reason, for people, for any other
  /// body, as one without a reduction.
  static mlir::FailureOr<RowFusion> get(kernel::FusionOp fusion,
                                        std::string &reason);

  /// The body that `nodes` are ops of, if the fusion's own has named ops.
  mlir::OwningOpRef<kernel::FusionOp> expanded;
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_ROWFUSION_H
