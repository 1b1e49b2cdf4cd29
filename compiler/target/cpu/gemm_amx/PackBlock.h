// SPDX-License-Identifier: Apache-2.0
//
// Packing of blocks of lhs, as device code.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_AMX_PACKBLOCK_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_AMX_PACKBLOCK_H

#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/gemm_amx/GemmAmxGeometry.h"

namespace minic::cpu {

/// Adds `name`(source, destination, rows): copies a block of `rows` rows of lhs
/// (an i64, up to 32) from its first element at `source` to
/// destination[steps][32 rows][64 bytes of K]. Elements past K are zero.
/// Rows past `rows` are whatever was there: they only reach rows of the result
/// that are not stored.
mlir::LLVM::LLVMFuncOp emitPackBlock(mlir::OpBuilder &builder,
                                     mlir::Location loc, mlir::ModuleOp device,
                                     llvm::StringRef name,
                                     const GemmAmxGeometry &geometry);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_AMX_PACKBLOCK_H
