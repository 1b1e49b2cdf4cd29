// SPDX-License-Identifier: Apache-2.0
//
// OperandPrologue: how a matrix that pointwise ops make is put together.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_OPERANDPROLOGUE_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_OPERANDPROLOGUE_H

#include "compiler/target/cuda/gemm/GemmOperand.h"

namespace minic::cuda {

/// Elements that a thread makes at once: enough loads under way, little code.
constexpr int64_t prologueElements = 32;

/// A matrix that is copied to a stage of shared memory as it is.
struct StagedMatrix {
  GemmOperand operand;
  /// Bytes of K in a stage, and where in a stage its rows begin.
  int64_t rowBytes = 0, offset = 0;
};

/// An input that is read in global memory where it is needed: vectors along K
/// or along rows, scalars, what is broadcast over a batch, and predicates.
/// Strides count elements and are 0 where it does not vary.
struct DirectInput {
  mlir::BlockArgument argument;
  llvm::SmallVector<int64_t> batchStrides; // per batch dimension
  /// Of the dimensions that rows count, outermost first.
  llvm::SmallVector<int64_t> rowExtents, rowStrides;
  int64_t kStride = 0;

  bool variesInRows() const;
};

/// A contraction's operand as pointwise ops of the body's arguments. Every
/// thread copies `lanes` consecutive elements of K of each staged matrix, and
/// later makes just those elements of the operand from them: so no other thread
/// waits for its copies in between.
struct OperandPrologue {
  mlir::Value value;
  llvm::SmallVector<mlir::Operation *> ops; // in body order
  llvm::SmallVector<StagedMatrix> staged;
  llvm::SmallVector<DirectInput> direct;
  int64_t lanes = 1;
  /// Bytes of a stage that it needs behind both operands' tiles.
  int64_t extraBytes = 0;

  /// For an operand that is no argument of the body. `rows` and `bk` are those
  /// of a stage. The operand's own tile begins at `tile`, what else it needs at
  /// `extra`. `padded`: staged matrices have rows of a multiple of 16 bytes.
  static OperandPrologue get(const kernel::FusionShape &shape, bool isLhs,
                             bool padded, int64_t rows, int64_t bk,
                             int64_t tile, int64_t extra);

  /// Whether anything but this prologue needs `argument` in the body.
  bool isUsedElsewhere(const kernel::FusionShape &shape,
                       mlir::Value argument) const;
};

/// Whether an operand, or a matrix that one is made of, would be asked for in a
/// layout that other ops of the body do not read.
bool areRelaidForOthers(const kernel::FusionShape &shape);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_OPERANDPROLOGUE_H
