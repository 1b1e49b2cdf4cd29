// SPDX-License-Identifier: Apache-2.0
//
// mbarrier objects: counters of 8 bytes in shared memory that threads and
// copies arrive at, and that others wait for. A phase is complete when all
// arrivals that it was initialized for and all bytes that were expected have
// come; then the next one begins. A wait names the parity of a phase, so it
// must not come two phases late: it would see the older one of its parity.

#ifndef MINIC_COMPILER_TARGET_CUDA_MBARRIER_H
#define MINIC_COMPILER_TARGET_CUDA_MBARRIER_H

#include "compiler/target/cuda/KernelAbi.h"

namespace minic::cuda {

/// Bytes of one, which it is aligned to.
constexpr int64_t kMBarrierBytes = 8;

/// By one thread, before a fenceMBarrierInit and a barrier of all who use it.
void initMBarrier(CudaKernelBuilder &k, mlir::Value barrier, int64_t arrivals);
void fenceMBarrierInit(CudaKernelBuilder &k);
/// The thread arrives. What it did before is seen by who waits for the phase.
void arriveAt(CudaKernelBuilder &k, mlir::Value barrier);
/// The same at block number `rank`'s barrier of the cluster.
void arriveAtBlock(CudaKernelBuilder &k, mlir::Value barrier, mlir::Value rank);
/// The thread arrives, and so will copies of `bytes` bytes together.
void arriveExpecting(CudaKernelBuilder &k, mlir::Value barrier, int64_t bytes);
/// Waits until the phase of this parity (i32, 0 for the first one) is complete.
void awaitPhase(CudaKernelBuilder &k, mlir::Value barrier, mlir::Value parity);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_MBARRIER_H
