// SPDX-License-Identifier: Apache-2.0
//
// Packing of lhs tiles, as device code.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_PACKLHS_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_PACKLHS_H

#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/gemm_packed/GemmGeometry.h"

namespace minic::cpu {

/// Adds `name`(source, destination): copies a tile of `height` rows of lhs from
/// its first element at `source` to destination[packedWords][packedRows], as
/// f32 or bf16 pairs. Elements past K and past the rows are zero.
mlir::LLVM::LLVMFuncOp emitPackLhs(mlir::OpBuilder &builder, mlir::Location loc,
                                   mlir::ModuleOp device, llvm::StringRef name,
                                   const GemmGeometry &geometry,
                                   int64_t height);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_PACKLHS_H
