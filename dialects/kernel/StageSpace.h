// SPDX-License-Identifier: Apache-2.0
//
// StageSpace: the loops of a stage, split as finely as its reshapes need, and
// what it reads and writes as strides over them.

#ifndef MINIC_DIALECTS_KERNEL_STAGESPACE_H
#define MINIC_DIALECTS_KERNEL_STAGESPACE_H

#include "dialects/kernel/Kernel.h"

namespace minic::kernel {

/// offset + sum of strides[i] * (index of dimension i).
struct LinearIndex {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
  bool operator==(const LinearIndex &) const = default;
};

/// An index that may leave its tensor: outside of [0, extent) the padding
/// value is read.
struct IndexBound {
  LinearIndex index;
  int64_t extent;
};

/// How a stage reads or writes a value.
struct Access {
  /// A body argument, or a result of another stage; dense.
  mlir::Value value;
  /// Who reads it: an operand of an op of the stage. Null for a write.
  mlir::OpOperand *use = nullptr;
  graph::OperandRole role = graph::OperandRole::Data;
  /// From the iterators that the ops declare, before they are split, to the
  /// value's indices. Null where data says which element is read.
  mlir::AffineMap map;
  /// In elements of `value`, over the split dimensions; unset where there is no
  /// map, or where no split makes strides of it.
  std::optional<LinearIndex> address = std::nullopt;
  /// Only indices that do leave the tensor somewhere.
  llvm::SmallVector<IndexBound> bounds = {};
  mlir::TypedAttr padding = {};
};

struct StageSpace {
  /// Parallel dimensions first. `iterators[i]` is the declared iterator that
  /// dimension i is a part of; parts are outermost first.
  llvm::SmallVector<graph::IteratorKind> kinds;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<unsigned> iterators;
  llvm::SmallVector<Access> reads, writes;
};

/// The dimensions of `space`, each split where a map of `accesses` divides it,
/// and all `accesses` in terms of them.
StageSpace splitSpace(const graph::IterationSpace &space,
                      llvm::SmallVector<Access> reads,
                      llvm::SmallVector<Access> writes);

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_STAGESPACE_H
