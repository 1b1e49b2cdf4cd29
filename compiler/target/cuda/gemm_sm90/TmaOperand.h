// SPDX-License-Identifier: Apache-2.0
//
// TmaOperand: how TMA reads one matrix of a contraction.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_TMAOPERAND_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_TMAOPERAND_H

#include "compiler/target/cuda/gemm/ImageMatrix.h"
#include "dialects/plan/Plan.h"

namespace minic::cuda {

/// A tensor of K, rows and the batch dimensions that the operand differs in,
/// and a box of it that one copy brings. What is beyond K or rows becomes zero.
/// Windows of images are of a tensor [channels, columns, lines, images]: a box
/// has some channels of one tap of as many windows, one after the other.
struct TmaOperand {
  /// A batch dimension's coordinate is batch / divisor % extent.
  struct BatchDim {
    int64_t divisor, extent;
  };

  /// Why TMA cannot copy it; empty if it can.
  std::string why;
  int64_t argument = 0;
  mlir::Type type;
  /// Innermost first; strides in bytes, of all dims but the first. The box is
  /// one of a batch.
  llvm::SmallVector<int64_t> dims, strides, box;
  /// Those of dims from the third on.
  llvm::SmallVector<BatchDim> batchDims;

  /// Of windows of images.
  std::optional<ImageMatrix> image;

  TmaOperand() = default;
  /// Windows of images, a box of `boxK` channels of `boxRows` windows.
  TmaOperand(const GemmOperand &operand, const ImageMatrix &image,
             int64_t boxRows, int64_t boxK);
  /// Of batches of `batch`, outermost first, a box of `boxK` elements of
  /// `boxRows` rows.
  TmaOperand(const GemmOperand &operand, llvm::ArrayRef<int64_t> batch,
             int64_t boxRows, int64_t boxK);

  /// With rows swizzled over 128 bytes, as SharedTile has them.
  plan::TensorMapAttr map() const;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_TMAOPERAND_H
