// SPDX-License-Identifier: Apache-2.0
//
// ResultSpace: which element of a fusion's results a sum of a GEMM becomes.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_RESULTSPACE_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_RESULTSPACE_H

#include "compiler/target/cuda/BodyEvaluator.h"

namespace minic::cuda {

/// For a contraction, or the GEMM that a convolution is (viewAsGemm).
struct ResultSpace {
  const kernel::FusionShape &shape;

  /// The position of `lanes` columns from (`row`, `column`) on of matrix number
  /// `batch`.
  SpacePosition at(CudaKernelBuilder &k, mlir::Value batch, mlir::Value row,
                   mlir::Value column, int64_t lanes) const;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_RESULTSPACE_H
