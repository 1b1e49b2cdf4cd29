// SPDX-License-Identifier: Apache-2.0
//
// SkinnyFusion: a body as a product of few rows, and what makes these rows.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYFUSION_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYFUSION_H

#include "compiler/target/codegen/RowFusion.h"
#include "dialects/kernel/FusionShape.h"
#include "dialects/kernel/OutlinePart.h"

namespace minic::cuda {

/// Rows of the result that the family takes, and those of an lhs that every
/// block makes for itself.
constexpr int64_t kSkinnyRows = 32, kMadeRows = 8;
/// Bytes of such an lhs, which lies in shared memory.
constexpr int64_t kMadeBytes = 64 << 10;

/// The ops that make the lhs: pointwise ones, or a norm of each of its rows
/// with what is around it.
struct LhsPrologue {
  mlir::Value value; // the lhs, in the fusion's body
  llvm::SmallVector<mlir::Operation *> ops;
  /// Of a norm.
  std::optional<RowFusion> rows;
  /// What `rows` is of, and which operand of the fusion each of its arguments
  /// is.
  kernel::OutlinedPart part;
  llvm::SmallVector<int64_t> operands;
};

struct SkinnyFusion {
  /// The product with its epilogue: of the fusion's own body or, with a
  /// prologue, of `rest`, where the lhs is an argument.
  kernel::FusionShape shape;
  std::optional<LhsPrologue> prologue;
  kernel::OutlinedPart rest;
  /// The fusion's operand that each argument of the shape's body is, -1 for the
  /// lhs of a prologue; the fusion's result that each of shape.results is.
  llvm::SmallVector<int64_t> operands, results;

  /// The fusion's operand that the weights are.
  int64_t rhs() const;
};

/// A fusion that the family takes, or why it does not.
mlir::FailureOr<SkinnyFusion> matchSkinny(kernel::FusionOp fusion,
                                          std::string *reason);

/// The weights' layout: rows of N with K innermost, padded to 16 bytes; unit
/// where they are stored so.
mlir::Attribute getWeightLayout(const kernel::FusionShape &shape);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYFUSION_H
