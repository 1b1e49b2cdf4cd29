// SPDX-License-Identifier: Apache-2.0
//
// The kernel dialect: what is decided together, and how. Include this header.

#ifndef MINIC_DIALECTS_KERNEL_KERNEL_H
#define MINIC_DIALECTS_KERNEL_KERNEL_H

#include "dialects/graph/Graph.h"

#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "dialects/kernel/KernelDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/kernel/KernelAttrs.h.inc"
namespace minic::kernel {
class YieldOp;
}
#define GET_OP_CLASSES
#include "dialects/kernel/KernelOps.h.inc"

namespace minic::kernel {

/// The layout of `type`; null where it is dense row-major.
LayoutAttr getLayout(mlir::RankedTensorType type);

/// `type` without its layout.
mlir::RankedTensorType withoutLayout(mlir::RankedTensorType type);

/// Bytes a tensor of static shape takes in memory, padding included.
int64_t getBytes(mlir::RankedTensorType type);

/// Bytes of one element in memory; i1 takes one.
int64_t getElementBytes(mlir::Type elementType);

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_KERNEL_H
