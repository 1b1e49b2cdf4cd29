// SPDX-License-Identifier: Apache-2.0
//
// What kernels that multiply by wgmma share: descriptors of matrices in shared
// memory, and fences and waits that registers pass through.

#ifndef MINIC_COMPILER_TARGET_CUDA_WGMMA_H
#define MINIC_COMPILER_TARGET_CUDA_WGMMA_H

#include "compiler/target/cuda/KernelAbi.h"

namespace minic::cuda {

/// wgmma's descriptors count in units of 16 bytes: what is added to one.
constexpr int64_t kWgmmaUnit = 16;

/// The descriptor, i64, of a matrix that begins at `address`, a shared address
/// as i64: rows of `rowBytes` (128, 64 or 32) bytes one after the other, chunks
/// permuted as SharedTile has them. Where rows are of K, as of values by key,
/// a matrix may be wider than a row: `slabBytes` from each `rowBytes` of its
/// columns to the next.
mlir::Value wgmmaDescriptor(CudaKernelBuilder &k, mlir::Value address,
                            int64_t rowBytes, int64_t slabBytes = kWgmmaUnit);

/// wgmma.fence behind all that writes `registers` (f32 or i32): those that the
/// next wgmma takes.
void fenceWgmma(CudaKernelBuilder &k,
                llvm::MutableArrayRef<mlir::Value> registers);
/// Waits until at most `groups` groups of wgmma are under way. `sums` (f32) are
/// of one that is complete then, and readable from here on.
void awaitWgmma(CudaKernelBuilder &k, int64_t groups,
                llvm::MutableArrayRef<mlir::Value> sums);

/// Shared memory that the thread wrote is seen by wgmma beyond the next
/// barrier.
void fenceProxy(CudaKernelBuilder &k);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_WGMMA_H
