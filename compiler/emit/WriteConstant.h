// SPDX-License-Identifier: Apache-2.0
//
// WriteConstant: a constant in the layout that kernels read it in.

#ifndef MINIC_COMPILER_EMIT_WRITECONSTANT_H
#define MINIC_COMPILER_EMIT_WRITECONSTANT_H

#include "runtime/format/ArtifactWriter.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

namespace minic {

/// Appends `value`, laid out as `type` says: kernel::getBytes(type) bytes, of
/// which it holds a megabyte, or one slice, at a time; of values that are
/// concatenated and then packed, all. Internal where `value` has no bytes.
absl::Status writeConstant(mlir::RankedTensorType type,
                           mlir::ElementsAttr value,
                           const format::AppendBytes &append);

} // namespace minic

#endif // MINIC_COMPILER_EMIT_WRITECONSTANT_H
