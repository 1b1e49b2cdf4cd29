// SPDX-License-Identifier: Apache-2.0
//
// StagePrologues: what a stage of a GEMM kernel needs where an operand is made
// by ops before the product.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_STAGEPROLOGUES_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_STAGEPROLOGUES_H

#include "compiler/target/cuda/gemm/GemmLowering.h"
#include "compiler/target/cuda/gemm/PrologueStage.h"
#include "compiler/target/cuda/gemm/StageCopies.h"

namespace minic::cuda {

/// For the kernel that the builder stands in. Operands without a prologue are
/// copied to the beginning of a stage as they are; of others the matrices that
/// they are made of, and the operand is made of these in place.
class StagePrologues {
public:
  StagePrologues(CudaKernelBuilder &k, KernelEntry entry, const GemmEntry &gemm,
                 const StageRing &ring)
      : k_(k), entry_(entry), gemm_(gemm), ring_(ring), g_(ring.geometry) {}

  /// Adds the copies of both operands.
  void addCopies(StageCopies &copies);
  /// Once earlier launches are complete: loads what varies nowhere.
  void begin();
  bool empty() const { return prologues_.empty(); }
  /// Makes the operands of the stage at `position` of the ring, number `block`
  /// of K, whose copies the thread has waited for. The barrier is the caller's.
  void emit(mlir::Value position, mlir::Value block);

private:
  void begin(bool isRhs);

  CudaKernelBuilder &k_;
  KernelEntry entry_;
  const GemmEntry &gemm_;
  StageRing ring_;
  const GemmGeometry &g_;
  llvm::SmallVector<PrologueStage, 2> prologues_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_STAGEPROLOGUES_H
