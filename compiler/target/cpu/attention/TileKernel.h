// SPDX-License-Identifier: Apache-2.0
//
// The kernel of a whole tile: a block of keys after the other.

#ifndef MINIC_COMPILER_TARGET_CPU_ATTENTION_TILEKERNEL_H
#define MINIC_COMPILER_TARGET_CPU_ATTENTION_TILEKERNEL_H

#include "compiler/target/cpu/attention/TileShape.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace minic::cpu {

/// void(args, scratch, group, first): the queries from number `first` on of
/// group number `group`, with the functions that it calls. `operands` is how
/// many addresses come before the results'. With several `parts` of the keys
/// also (..., part, states, counter), see KeyParts.
mlir::LLVM::LLVMFuncOp emitTileKernel(mlir::OpBuilder &builder,
                                      mlir::Location loc, mlir::ModuleOp device,
                                      llvm::StringRef name,
                                      const AttentionFusion &body,
                                      const TileShape &shape, int64_t operands,
                                      int64_t parts);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ATTENTION_TILEKERNEL_H
