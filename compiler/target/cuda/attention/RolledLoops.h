// SPDX-License-Identifier: Apache-2.0
//
// Loops that stay loops.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_ROLLEDLOOPS_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_ROLLEDLOOPS_H

#include "mlir/IR/Builders.h"

namespace minic::cuda {

/// Neither LLVM nor the assembler unrolls the loops that `around` holds.
void keepLoopsRolled(mlir::OpBuilder &builder, mlir::Operation *around);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_ROLLEDLOOPS_H
