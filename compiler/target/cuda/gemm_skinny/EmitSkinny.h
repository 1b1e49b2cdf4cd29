// SPDX-License-Identifier: Apache-2.0
//
// The code of one skinny GEMM.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_EMITSKINNY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_EMITSKINNY_H

#include "compiler/target/cuda/gemm_skinny/SkinnyGeometry.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cuda {

/// Adds the kernel `name` to `device`: a grid of [tiles, split] blocks.
/// `operands` is how many addresses come before the results'.
void emitSkinny(mlir::ModuleOp device, mlir::Location loc, llvm::StringRef name,
                const kernel::FusionShape &shape,
                const SkinnyGeometry &geometry, int64_t operands);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_EMITSKINNY_H
