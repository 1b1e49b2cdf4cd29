// SPDX-License-Identifier: Apache-2.0
//
// LinkedModules: LLVM IR that a device module brings beside its own functions.

#ifndef MINIC_COMPILER_TARGET_CPU_LINKEDMODULES_H
#define MINIC_COMPILER_TARGET_CPU_LINKEDMODULES_H

#include "mlir/IR/BuiltinOps.h"

#include "llvm/IR/Module.h"

namespace minic::cpu {

/// Of an entry: names of the extensions that its code needs beyond what is seen
/// in it.
inline constexpr llvm::StringLiteral usedFeaturesAttrName = "minic.features";

/// Adds `text`, LLVM IR that defines `symbol`, to `device`, once.
void addLinkedModule(mlir::ModuleOp device, llvm::StringRef symbol,
                     llvm::StringRef text);

/// Links what was added to `device` into `module`, which was translated from
/// it. What it defines becomes internal. A diagnostic on failure.
mlir::LogicalResult linkModules(mlir::ModuleOp device, llvm::Module &module);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_LINKEDMODULES_H
