// SPDX-License-Identifier: Apache-2.0
//
// OutlinePart: some ops of a fusion as a fusion of their own.

#ifndef MINIC_DIALECTS_KERNEL_OUTLINEPART_H
#define MINIC_DIALECTS_KERNEL_OUTLINEPART_H

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/OwningOpRef.h"

namespace minic::kernel {

struct OutlinedPart {
  /// Detached, without choice or impl. Its operands are values of the original
  /// body (block arguments or results of other parts' ops), in order of first
  /// use: the caller that inserts it replaces them by values of the outer
  /// function.
  mlir::OwningOpRef<FusionOp> fusion;
  /// The body values that its results stand for: those used by other ops of
  /// the body or yielded, in body order. Parallel to the fusion's results.
  llvm::SmallVector<mlir::Value> results;
};

/// Clones the body ops of `fusion` with the indices `ops` (any order; cloned in
/// body order). `fusion` itself stays as it is and must outlive the result or
/// the replacement of its operands. The boundary follows #kernel.part.
OutlinedPart outlinePart(FusionOp fusion, llvm::ArrayRef<int64_t> ops);

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_OUTLINEPART_H
