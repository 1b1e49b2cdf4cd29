// SPDX-License-Identifier: Apache-2.0
//
// OutlineFusion: ops of a block become one fusion.

#ifndef MINIC_PASSES_SUPPORT_OUTLINEFUSION_H
#define MINIC_PASSES_SUPPORT_OUTLINEFUSION_H

#include "mlir/IR/Operation.h"

namespace minic::kernel {

/// Moves `ops`, in block order, into a new fusion at the place of the last of
/// them. Users in front of it are put in order by the caller. A value is one
/// input however often it is used, except that the weight operand of the
/// anchor has an input to itself: it can be packed, and dense for others.
void outlineFusion(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace minic::kernel

#endif // MINIC_PASSES_SUPPORT_OUTLINEFUSION_H
