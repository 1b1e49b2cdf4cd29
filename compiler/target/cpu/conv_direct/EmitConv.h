// SPDX-License-Identifier: Apache-2.0
//
// The entry of a direct convolution.

#ifndef MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_EMITCONV_H
#define MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_EMITCONV_H

#include "compiler/target/cpu/RunShare.h"
#include "compiler/target/cpu/conv_direct/ConvDirectGeometry.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cpu {

/// Adds the exported function `name` and the internal ones that it calls. With
/// `rows` images behind those of a run are left out.
void emitConv(mlir::Location loc, mlir::ModuleOp device, llvm::StringRef name,
              const kernel::FusionShape &shape,
              const ConvDirectGeometry &geometry,
              const std::optional<BoundedRows> &rows = std::nullopt);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_EMITCONV_H
