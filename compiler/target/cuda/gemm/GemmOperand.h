// SPDX-License-Identifier: Apache-2.0
//
// GemmOperand: how a GEMM kernel reads one matrix of a contraction.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMOPERAND_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMOPERAND_H

#include "dialects/kernel/FusionShape.h"

namespace minic::cuda {

/// A matrix of `rows` (M of lhs, N of rhs) by K whose rows are contiguous in K,
/// for every family of GEMM kernels. An operand that is not so in memory is
/// requested in a layout: free for a constant, a kernel of its own for an
/// activation.
struct GemmOperand {
  /// The fusion's operand, and what it is in the body.
  int64_t argument = 0;
  mlir::Value value;
  mlir::Type type; // of an element
  int64_t rows = 0, k = 0;
  /// K with the zeros that each row ends with.
  int64_t paddedK = 0;
  /// Elements from one row to the next; K at least.
  int64_t pitch = 0;
  /// Elements from one matrix to the next, per batch dimension.
  llvm::SmallVector<int64_t> batchStrides;
  /// Bytes that one access may have anywhere in the operand: 16, 8, 4 or, with
  /// rows of an odd number of 16-bit elements, 2.
  int64_t accessBytes = 16;
  /// The layout the operand must have: unit for dense.
  mlir::Attribute layout;

  int64_t elementBytes() const { return type.getIntOrFloatBitWidth() / 8; }
  bool isDense() const { return llvm::isa<mlir::UnitAttr>(layout); }
  /// With accesses of 8 bytes: whether every second row, the first among them,
  /// allows 16.
  bool hasWideEvenRows() const;

  /// As it is in memory if its rows are contiguous in K; otherwise as `padded`
  /// makes it. `value`: the contraction's operand, or another value of its
  /// shape.
  static GemmOperand dense(const kernel::FusionShape &shape, bool isLhs,
                           mlir::Value value);
  static GemmOperand dense(const kernel::FusionShape &shape, bool isLhs) {
    return dense(shape, isLhs, isLhs ? shape.gemm->lhs : shape.gemm->rhs);
  }
  /// With rows of a multiple of 16 bytes, filled up with zeros. Equal to the
  /// dense one if that has such rows already. An operand that must be relaid
  /// gets rows of a multiple of `rowBytes`.
  static GemmOperand padded(const kernel::FusionShape &shape, bool isLhs,
                            mlir::Value value, int64_t rowBytes = 16);
  static GemmOperand padded(const kernel::FusionShape &shape, bool isLhs,
                            int64_t rowBytes = 16) {
    return padded(shape, isLhs, isLhs ? shape.gemm->lhs : shape.gemm->rhs,
                  rowBytes);
  }
};

/// Whether an argument that must be relaid for the contraction has another use
/// in the body, which could not read it then.
bool isRelaidForOthers(const kernel::FusionShape &shape, bool isLhs);
inline constexpr const char *relaidForOthers =
    "an operand that must be relaid has another use in the body";

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMOPERAND_H
