// SPDX-License-Identifier: Apache-2.0
//
// graph.kernel, a kernel of the user's own. Not in Graph.h: few know it.

#ifndef MINIC_DIALECTS_GRAPH_KERNELOP_H
#define MINIC_DIALECTS_GRAPH_KERNELOP_H

#include "dialects/graph/Graph.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace minic::graph {
class YieldOp;
}
#define GET_OP_CLASSES
#include "dialects/graph/GraphKernelOps.h.inc"

namespace minic::graph {

/// Puts the ops of `op`'s body, which is linked, in its place.
void inlineKernel(KernelOp op);

/// The first graph.kernel of `ops`; null where there is none.
KernelOp findKernel(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_KERNELOP_H
