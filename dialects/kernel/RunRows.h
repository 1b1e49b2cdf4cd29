// SPDX-License-Identifier: Apache-2.0
//
// RunRows: which part of a fusion's results a padded run needs.

#ifndef MINIC_DIALECTS_KERNEL_RUNROWS_H
#define MINIC_DIALECTS_KERNEL_RUNROWS_H

#include "dialects/kernel/Kernel.h"

#include <optional>

namespace minic::kernel {

/// The attribute of fusions that says it: `{dim = "T", size = 512}`.
inline constexpr llvm::StringLiteral runRowsAttrName = "kernel.run_rows";

/// Every result of the fusion is `size` pieces of equal length, one right
/// behind the other: the rows of a padded dimension of the function. A run that
/// has fewer of them reads and writes the first ones alone, whatever the others
/// hold. How many it has is known to the kernel only then (plan.buffer's
/// `size_of`).
struct RunRows {
  mlir::StringAttr dim;
  int64_t size = 0; // in this function, 2 or more

  /// None where the fusion is needed whole.
  static std::optional<RunRows> get(FusionOp fusion);
  void set(FusionOp fusion) const;
};

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_RUNROWS_H
