// SPDX-License-Identifier: Apache-2.0
//
// ExpandOps: named ops of a fusion replaced by the ops of their stages.

#ifndef MINIC_DIALECTS_KERNEL_EXPANDOPS_H
#define MINIC_DIALECTS_KERNEL_EXPANDOPS_H

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/OwningOpRef.h"

namespace minic::kernel {

/// Replaces the body ops of `fusion` with the indices `ops` by their stages,
/// in place. Each is an ExpandableOpInterface. Other ops stay as they are and
/// keep their order.
void expandOps(FusionOp fusion, llvm::ArrayRef<int64_t> ops);

/// The body that the parts of a choice index: `fusion`'s own, or that of a
/// detached clone (on the same operands) where `ops` are to be expanded.
class ExpandedFusion {
public:
  ExpandedFusion(FusionOp fusion, llvm::ArrayRef<int64_t> ops);
  FusionOp get() { return clone_ ? *clone_ : original_; }

private:
  FusionOp original_;
  mlir::OwningOpRef<FusionOp> clone_;
};

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_EXPANDOPS_H
