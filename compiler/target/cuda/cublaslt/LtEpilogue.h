// SPDX-License-Identifier: Apache-2.0
//
// LtEpilogue: pointwise ops after a contraction as cuBLASLt does them.
//
// The library computes activation(product + bias + addend) in f32 and rounds
// once. Its gelu is the tanh form; the exact one is not offered, and for f32
// results not even that: nothing says how accurate its tanh is. Whether its
// relu keeps a NaN is not documented, so it is taken to lose it.

#ifndef MINIC_COMPILER_TARGET_CUDA_CUBLASLT_LTEPILOGUE_H
#define MINIC_COMPILER_TARGET_CUDA_CUBLASLT_LTEPILOGUE_H

#include "dialects/kernel/FusionShape.h"

namespace minic::cuda {

struct LtEpilogue {
  mlir::Value bias;   // N values, or null
  mlir::Value addend; // of the result's shape, or null
  /// A name of format.EltwiseKind, or "none".
  llvm::StringRef activation = "none";
  /// Result number 1 is what the activation is applied to.
  bool hasAux = false;

  /// Fails with a reason where cuBLASLt has no epilogue for `shape`'s.
  static mlir::FailureOr<LtEpilogue> get(const kernel::FusionShape &shape,
                                         std::string &reason);
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CUBLASLT_LTEPILOGUE_H
