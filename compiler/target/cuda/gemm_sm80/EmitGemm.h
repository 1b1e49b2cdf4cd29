// SPDX-License-Identifier: Apache-2.0
//
// A whole GEMM kernel: the pipeline around the multiplication.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_EMITGEMM_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_EMITGEMM_H

#include "compiler/target/codegen/RunBound.h"
#include "compiler/target/cuda/gemm_sm80/GemmSm80Geometry.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace minic::cuda {

/// Adds the kernel `name`, with GemmEntry's parameters, to `device`.
/// `constants` has a bit for each operand, set where no launch ever writes it.
/// With a `bound` tiles behind the rows of a run are left out.
void emitGemm(mlir::Location loc, mlir::ModuleOp device, llvm::StringRef name,
              const kernel::FusionShape &shape,
              const GemmSm80Geometry &geometry,
              const llvm::SmallBitVector &constants,
              const std::optional<RunBound> &bound = std::nullopt);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_EMITGEMM_H
