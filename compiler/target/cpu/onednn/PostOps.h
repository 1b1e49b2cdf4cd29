// SPDX-License-Identifier: Apache-2.0
//
// Epilogues as chains of oneDNN post-ops.
//
// What oneDNN 2.6.3 (brgemm, AVX-512) does with each eltwise, probed at NaN,
// infinities, denormals and 200 000 points in [-20, 20]:
//
//   relu, clamp   NaN becomes the lower bound (graph ops propagate it)
//   max, min      NaN of the product becomes the operand; NaN of the operand
//                 stays
//   exp           2.6 ulp; NaN becomes +inf; results below 2^-126 become 0
//   log           absolute error 3.5e-6 (2e5 ulp beside 1), wrong for
//                 denormals: not offered
//   tanh          1.2 ulp
//   sigmoid, silu 3.4, 4.1 ulp
//   gelu          absolute error 3.7e-7 (erf), 5e-7 (tanh)
//   hard_swish    1.9 ulp
//   sqrt, abs, leaky_relu, linear, add, sub, mul, div: as IEEE says
//
// So a NaN in the product of a `library-fused` relu, clamp, exp, max or min
// does not reach the result; with finite products they meet the tolerances.

#ifndef MINIC_COMPILER_TARGET_CPU_ONEDNN_POSTOPS_H
#define MINIC_COMPILER_TARGET_CPU_ONEDNN_POSTOPS_H

#include "dialects/kernel/FusionShape.h"
#include "dialects/plan/Plan.h"

namespace minic::cpu {

/// Dimensions and strides of an anchor's result as oneDNN sees it: batch
/// dimensions, M and N of a contraction; N, K, P and Q of a convolution
/// whatever its layout.
struct ResultView {
  llvm::SmallVector<int64_t> dims, strides;
  static ResultView get(const kernel::FusionShape &shape);
};

/// One post-op on the anchor's result.
struct PostOp {
  /// A name of format.EltwiseKind, or of format.BinaryKindPostOp where there is
  /// an operand.
  llvm::StringRef kind;
  double alpha = 0, beta = 0;
  /// The body argument that a binary post-op reads, and how.
  mlir::Value operand;
  ResultView view;
};

/// Whether a NaN in the product can be gone after `postOp`; see above.
bool losesNan(const PostOp &postOp);

/// Fails with a reason where the epilogue is not a chain, where one of its ops
/// has no post-op, or where an operand broadcasts in a way oneDNN is slow at
/// (it takes scalars, a value per column or channel, and full tensors).
mlir::FailureOr<llvm::SmallVector<PostOp>>
getPostOps(const kernel::FusionShape &shape, std::string &reason);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ONEDNN_POSTOPS_H
