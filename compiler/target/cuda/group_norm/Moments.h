// SPDX-License-Identifier: Apache-2.0
//
// Moments: mean and variance of values that are spread over registers, threads
// and blocks, from the distances to means of parts: the squares of values far
// from 0 would lose the variance.

#ifndef MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_MOMENTS_H
#define MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_MOMENTS_H

#include "compiler/target/cuda/KernelAbi.h"

namespace minic::cuda {

/// f32, or vectors of it where each lane has values of its own.
struct Moments {
  mlir::Value count; ///< how many values, a scalar
  mlir::Value mean;
  mlir::Value squares; ///< the sum of squared distances from the mean
};

/// Of all that `parts` are of (Chan, Golub, LeVeque, Updating Formulae, 1979).
/// The first may have a count of 0 if its mean is near theirs.
Moments mergeMoments(CudaKernelBuilder &k, llvm::ArrayRef<Moments> parts);

/// Of `threads` neighbours of a warp, a power of two, in the first of them. All
/// threads of a warp call it.
Moments mergeNeighbours(CudaKernelBuilder &k, Moments own, int64_t threads);

/// Parts with the numbers first, first + step, ... below `end`.
struct MomentWalk {
  mlir::Value first; // i32
  int64_t step = 1;
  mlir::Value end;      // i32, positive
  int64_t count = 1;    ///< how many there are, at most
  bool isExact = false; ///< there are as many for every thread
  int64_t atOnce = 1;   ///< loads that are on their way together
  int64_t lanes = 1;
};

/// Merges what `load` gives for the numbers of `walk`, always in one order. A
/// number that is none becomes the last one without count and squares.
Moments mergeAlong(CudaKernelBuilder &k, const MomentWalk &walk,
                   llvm::function_ref<Moments(mlir::Value)> load);

/// An f32.
mlir::Value floatOf(CudaKernelBuilder &k, double value);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_MOMENTS_H
