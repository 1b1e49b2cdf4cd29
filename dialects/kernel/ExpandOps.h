// SPDX-License-Identifier: Apache-2.0
//
// ExpandOps: named ops of a fusion replaced by the ops of their stages.

#ifndef MINIC_DIALECTS_KERNEL_EXPANDOPS_H
#define MINIC_DIALECTS_KERNEL_EXPANDOPS_H

#include "dialects/kernel/Kernel.h"

namespace minic::kernel {

/// Whether `op` has stages, which needs static shapes.
bool canExpand(mlir::Operation *op);

/// Replaces the body ops of `fusion` with the indices `ops` by their stages,
/// less those that nobody reads. Each can be expanded. Other ops keep their
/// order; inputs and results stay as they are.
void buildStages(FusionOp fusion, llvm::ArrayRef<int64_t> ops);

/// The same for a fusion in a block. Where stages have constants, or reshape
/// what the fusion reads or yields, these stay outside: they become ops beside
/// the fusion. Returns the fusion, which is another op where its results have
/// other shapes; `fusion`'s uses are replaced then.
FusionOp expandOps(FusionOp fusion, llvm::ArrayRef<int64_t> ops);

/// The body that the parts of a choice index: `fusion`'s own, or that of a
/// clone where `ops` are to be expanded. The clone has the same operands; with
/// `isApart` it has others of their types, so that `fusion`'s stay untouched
/// (they may belong to another thread).
class ExpandedFusion {
public:
  ExpandedFusion(FusionOp fusion, llvm::ArrayRef<int64_t> ops,
                 bool isApart = false);
  FusionOp get() { return expanded_; }

private:
  mlir::Block scratch_; // the clone, and what stays outside of it
  FusionOp expanded_;
};

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_EXPANDOPS_H
