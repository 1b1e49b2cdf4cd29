// SPDX-License-Identifier: Apache-2.0
//
// IterationSpace: the loops of a graph op, and what each of its tensors reads
// or writes at a point of them. Backends and passes ask for it instead of
// asking for the op's name.

#ifndef MINIC_DIALECTS_GRAPH_ITERATIONSPACE_H
#define MINIC_DIALECTS_GRAPH_ITERATIONSPACE_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

namespace minic::graph {

enum class IteratorKind {
  Parallel,  ///< every index has results of its own
  Reduction, ///< all indices go into the same results
  Window,    ///< as Reduction, over neighbours: reads overlap, may be outside
};

enum class OperandRole {
  Data,   ///< read at each point
  Weight, ///< as Data; kernels may want it packed ahead of time
  Bias,   ///< read once per result element, when its reduction is finished
  Index,  ///< integers that say where another operand is read
};

/// What one result element costs a kernel beside reading and writing.
enum class ScalarCost {
  Simple, ///< a few instructions: computing it twice beats storing it
  SquareRoot,
  Division,
  Transcendental,
};

/// What a reduction does to two partial results.
enum class Monoid { Sum, Product, Max, Min, Other };

/// The loops of an op. Parallel iterators come first: those of an op whose
/// results are all written element by element are the dimensions of its first
/// result, in order.
///
/// Maps lead from all iterators to the indices of a tensor. Broadcasting is in
/// them: a dimension of extent 1 that broadcasts is the constant 0. A null map
/// stands for an access that depends on data, as that of a gather's table, or
/// on an extent that is not known yet. An index outside the tensor reads the
/// operand's padding value (see getPaddingValue).
///
/// An op whose result maps use a reduction iterator (softmax) needs more than
/// one pass over it. It has an ExpandableOpInterface; its stages need one each.
struct IterationSpace {
  llvm::SmallVector<IteratorKind> kinds;
  llvm::SmallVector<int64_t> extents; // kDynamic where not known
  llvm::SmallVector<mlir::AffineMap> operandMaps;
  llvm::SmallVector<mlir::AffineMap> resultMaps;

  size_t rank() const { return kinds.size(); }
  /// Number of leading iterators that are parallel.
  size_t parallelCount() const;
  bool hasReduction() const { return parallelCount() != rank(); }
  /// The product of the extents of all, and of the parallel iterators.
  int64_t pointCount() const;
  int64_t parallelPointCount() const;
  /// True if `map` uses no iterator but parallel ones.
  bool isParallel(mlir::AffineMap map) const;

  /// Parallel iterators over `shape`; no maps yet.
  static IterationSpace overElements(llvm::ArrayRef<int64_t> shape);
  void addReduction(IteratorKind kind, int64_t extent);
};

/// How a tensor of `shape` is read at an index of the first `rank` of `dims`
/// iterators, after NumPy broadcasting to `rank` dimensions.
mlir::AffineMap getBroadcastMap(llvm::ArrayRef<int64_t> shape, size_t rank,
                                size_t dims, mlir::MLIRContext *context);

/// How a dense tensor of shape `from` is read at an index of `to`, a shape with
/// as many elements: dimensions that both have stay iterators of their own,
/// others are linearized within the smallest group that both shapes bound.
/// Null for dynamic shapes.
mlir::AffineMap getReshapeMap(llvm::ArrayRef<int64_t> from,
                              llvm::ArrayRef<int64_t> to,
                              mlir::MLIRContext *context);

/// The space of an op with one result whose elements are each computed from
/// the operands' elements at the same index, after NumPy broadcasting.
IterationSpace getPointwiseSpace(mlir::Operation *op);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_ITERATIONSPACE_H
