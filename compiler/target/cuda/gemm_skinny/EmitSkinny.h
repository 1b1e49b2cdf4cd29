// SPDX-License-Identifier: Apache-2.0
//
// The code of one skinny GEMM.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_EMITSKINNY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_EMITSKINNY_H

#include "compiler/target/cuda/gemm_skinny/SkinnyGeometry.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace minic::cuda {

/// Adds the kernel `name` to `device`: a grid of [tiles, split] blocks.
/// `constants` has a bit for each operand, set where no launch writes it: their
/// addresses come before the results'.
void emitSkinny(mlir::ModuleOp device, mlir::Location loc, llvm::StringRef name,
                const SkinnyFusion &fusion, const SkinnyGeometry &geometry,
                const llvm::SmallBitVector &constants);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_EMITSKINNY_H
