// SPDX-License-Identifier: Apache-2.0
//
// The GEMM kernels of blocks that stay and take tiles in turn.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_EMITPINGPONGGEMM_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_EMITPINGPONGGEMM_H

#include "compiler/target/cuda/gemm/GemmLowering.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Geometry.h"

namespace minic::cuda {

/// Fills the kernel that `k` stands in; `shared`: its shared memory.
void emitPingPongGemm(CudaKernelBuilder &k, KernelEntry entry,
                      const GemmEntry &gemm, const GemmSm90Geometry &geometry,
                      mlir::Value shared);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_EMITPINGPONGGEMM_H
