// SPDX-License-Identifier: Apache-2.0
//
// SplitFloat: float32 operands as sums of two tf32 numbers, so that tensor
// cores multiply them to float32's precision.
//
// Of the four products of a = A + a' and b = B + b' three are added up: A * B,
// and the rests' a' * B + A * b'. Two things keep that from being slightly
// wrong:
//
// - Tensor cores cut sums off instead of rounding them (Fasi, Higham, Mikaitis
//   and Pranesh, Numerical behavior of NVIDIA tensor cores, PeerJ Computer
//   Science 7, 2021), an error that grows with K. So a product A * B of a step
//   starts from zero and is added in float32, rounded to nearest (Ootomo and
//   Yokota, Recovering single precision accuracy from Tensor Cores, IJHPCA
//   36(4), 2022). The rests' sums are below 2^-10 of it, and stay inside.
// - An infinity's rest is infinity minus infinity. So the rests have sums of
//   their own, which count only where the sum of A * B is finite: that alone
//   meets infinities and NaN as IEEE arithmetic does.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_SPLITFLOAT_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_SPLITFLOAT_H

#include "compiler/target/cuda/KernelAbi.h"

namespace minic::cuda {

/// Registers of tf32: float32 whose last 13 bits are zero.
struct SplitFloat {
  mlir::Value whole, rest;

  /// Splits the f32 whose bits `number` are. `whole` is within 3/4 of a unit of
  /// tf32, and finite where the number is: what is nearest to the largest
  /// float32 would be infinite. The rest of an infinity is NaN.
  ///
  /// `whole` + `rest` differ from the number by up to three units of its last
  /// place, and where it is below 2^-113 by up to 2^-136, tf32's smallest.
  static SplitFloat of(CudaKernelBuilder &k, mlir::Value number);
};

/// A sum of products of wholes, and the rests' where it is finite.
mlir::Value addRests(CudaKernelBuilder &k, mlir::Value wholes,
                     mlir::Value rests);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_SPLITFLOAT_H
