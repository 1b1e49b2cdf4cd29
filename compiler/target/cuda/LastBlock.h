// SPDX-License-Identifier: Apache-2.0
//
// How blocks that share one result find who of them finishes it.

#ifndef MINIC_COMPILER_TARGET_CUDA_LASTBLOCK_H
#define MINIC_COMPILER_TARGET_CUDA_LASTBLOCK_H

#include "compiler/target/cuda/KernelAbi.h"

namespace minic::cuda {

/// True (i1) in all threads of the last of `blocks` blocks that come here with
/// one `counter`: what all of them wrote to global memory before is visible to
/// it. All threads of a block call it.
///
/// `counter` points to an i32 in global memory that is 0 before, and again
/// behind the last; `flag` to four bytes of shared memory that nobody else uses
/// between the barrier before and that after.
mlir::Value emitIsLastBlock(CudaKernelBuilder &k, mlir::Value counter,
                            int64_t blocks, mlir::Value flag);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_LASTBLOCK_H
