// SPDX-License-Identifier: Apache-2.0
//
// FusionShape: the one analysis of a fusion body that every backend uses.

#ifndef MINIC_DIALECTS_KERNEL_FUSIONSHAPE_H
#define MINIC_DIALECTS_KERNEL_FUSIONSHAPE_H

#include "dialects/kernel/Kernel.h"

namespace minic::kernel {

/// A linear or matmul seen as result[b, m, n] = sum over k lhs[b, m, k] *
/// rhs[b, k, n]. Leading dimensions of linear's input are folded into M, and so
/// are a matmul's batch dimensions where all of them share one rhs and lhs is
/// dense over them; a batch of 1 where there is none. Strides count elements of
/// the dense operand and are 0 where the operand broadcasts; for an operand
/// with several batch dimensions they are given per batch dimension.
struct GemmShape {
  int64_t m = 1, n = 1, k = 1;
  llvm::SmallVector<int64_t> batch; // result's unfolded ones, empty if none
  mlir::Value lhs, rhs, bias;       // bias: [N] or null
  int64_t lhsStrideM = 0, lhsStrideK = 0;
  int64_t rhsStrideN = 0, rhsStrideK = 0;
  llvm::SmallVector<int64_t> lhsBatchStrides, rhsBatchStrides;
  mlir::Type lhsType, rhsType, resultType; // element types
  int64_t batchCount() const;
};

/// A conv2d. Operands are dense in the order that its layout names, the filter
/// is dense [K, C / groups, R, S].
struct ConvShape {
  graph::Conv2dGeometry geometry;
  mlir::Value input, filter, bias;              // bias: [K] or null
  mlir::Type inputType, filterType, resultType; // element types
};

/// How a dense tensor is read at an index of a larger iteration space after
/// NumPy broadcasting: one stride (in elements) per dimension of the space, 0
/// where it broadcasts.
struct BroadcastMap {
  llvm::SmallVector<int64_t> strides;
  static BroadcastMap get(llvm::ArrayRef<int64_t> operandShape,
                          llvm::ArrayRef<int64_t> spaceShape);
};

/// Whether a backend takes a product whose columns are two values' in turn
/// (getColumnTurns()): one result of two sums.
enum class ColumnTurns { Refused, Taken };

/// The stages of a body or of a part: prologue, anchor, epilogue.
struct FusionShape {
  /// The contraction or convolution, null for a purely pointwise body. A body
  /// with more than one is matched by no family yet.
  mlir::Operation *anchor = nullptr;
  /// One of them is set where there is an anchor.
  std::optional<GemmShape> gemm;
  std::optional<ConvShape> conv;
  /// Pointwise ops that the anchor's operands need, in body order. One that
  /// the epilogue needs as well is in both lists.
  llvm::SmallVector<mlir::Operation *> prologue;
  /// Pointwise ops that the results need, apart from the anchor; in a body
  /// without one also graph.transpose and graph.reshape. Values of smaller
  /// shape broadcast into the space.
  llvm::SmallVector<mlir::Operation *> epilogue;
  /// Of an anchor whose columns are two values' in turn, those of the even and
  /// of the odd ones, which the epilogue reads instead of its result. Else
  /// empty.
  llvm::SmallVector<mlir::Value, 2> turns;
  /// Columns of the anchor for each of the space.
  int64_t sumsPerResult() const { return turns.empty() ? 1 : 2; }
  /// The iteration space of the epilogue: that of the
  /// anchor's result, or of each of `turns` (a
  /// contraction's row-major order is [batch, m, n]), or the broadcast shape of
  /// a pointwise body's results. Every result has this shape.
  llvm::SmallVector<int64_t> space;
  /// Body arguments that the epilogue reads, in order of first use.
  llvm::SmallVector<mlir::Value> epilogueInputs;
  /// Yielded values, in order.
  llvm::SmallVector<mlir::Value> results;

  /// Analyzes `fusion`'s whole body. Fails with a reason where the body has no
  /// such form (two anchors, dynamic shapes, a result smaller than the space,
  /// graph.transpose or graph.reshape beside an anchor).
  static mlir::FailureOr<FusionShape>
  get(FusionOp fusion, std::string *reason,
      ColumnTurns turns = ColumnTurns::Refused);
};

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_FUSIONSHAPE_H
