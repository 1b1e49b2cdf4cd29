// SPDX-License-Identifier: Apache-2.0
//
// WriteConstant: a constant in the layout that kernels read it in.

#ifndef MINIC_COMPILER_EMIT_WRITECONSTANT_H
#define MINIC_COMPILER_EMIT_WRITECONSTANT_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

namespace minic {

/// Writes `value`, laid out as `type` says, to `destination`, which is zeroed
/// and holds kernel::getBytes(type) bytes. Fails where `value` has no bytes.
mlir::LogicalResult writeConstant(mlir::RankedTensorType type,
                                  mlir::ElementsAttr value, void *destination);

} // namespace minic

#endif // MINIC_COMPILER_EMIT_WRITECONSTANT_H
