// SPDX-License-Identifier: Apache-2.0
//
// ReductionShare: what one of several threads does for the reduction of one
// element.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_REDUCTIONSHARE_H
#define MINIC_COMPILER_TARGET_CODEGEN_REDUCTIONSHARE_H

#include "dialects/graph/Graph.h"

namespace minic {

/// The thread takes points `first`, `first` + `count` and so on, in row-major
/// order. All threads of an element compute what follows the reduction; one
/// stores it.
class ReductionShare {
public:
  ReductionShare(mlir::Value first, int64_t count, mlir::Value stores)
      : first(first), count(count), stores(stores) {}
  virtual ~ReductionShare() = default;

  /// Builds the state of all threads' points from each one's `state`, by the
  /// reduction's `emitMerge`, in an order that is the same in every run.
  virtual llvm::SmallVector<mlir::Value>
  emitMerge(graph::ReductionOpInterface reduction,
            mlir::ValueRange state) const = 0;

  mlir::Value first; // i64
  int64_t count;
  mlir::Value stores; // i1, whether this thread does
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_REDUCTIONSHARE_H
