// SPDX-License-Identifier: Apache-2.0
//
// A whole GEMM kernel whose stages are copied by TMA.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_EMITTMAGEMM_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_EMITTMAGEMM_H

#include "compiler/target/cuda/gemm/GemmLowering.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Geometry.h"

namespace minic::cuda {

/// The body of `entry`, where the builder stands. Its last two parameters are
/// GemmSm90Geometry::tensorMaps. `shared`: dynamic shared memory.
void emitTmaGemm(CudaKernelBuilder &k, KernelEntry entry, const GemmEntry &gemm,
                 const GemmSm90Geometry &geometry, mlir::Value shared);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_EMITTMAGEMM_H
