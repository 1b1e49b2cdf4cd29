// SPDX-License-Identifier: Apache-2.0
//
// SkinnyLhs: the rows of the lhs that a block makes for itself.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYLHS_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYLHS_H

#include "compiler/target/cuda/KernelAbi.h"
#include "compiler/target/cuda/gemm_skinny/SkinnyGeometry.h"

#include "llvm/ADT/SmallBitVector.h"

namespace minic::cuda {

/// Writes the lhs to shared memory, rounded to its dtype and padded with zeros.
/// All threads of a block take part; a barrier must follow.
class SkinnyLhs {
public:
  virtual ~SkinnyLhs() = default;
  /// What needs no earlier launch, ahead of the wait for them.
  void begin() {
    storePadding();
    loadConstants();
  }
  virtual void make() = 0;

  /// `operands` are the kernel's pointers, of which those in `constants` are
  /// written by no launch; `shared` is the block's shared memory.
  static std::unique_ptr<SkinnyLhs>
  create(CudaKernelBuilder &k, const SkinnyGeometry &geometry,
         const LhsPrologue &prologue, llvm::ArrayRef<mlir::Value> operands,
         const llvm::SmallBitVector &constants, mlir::Value shared);

protected:
  SkinnyLhs(CudaKernelBuilder &k, const SkinnyGeometry &g, mlir::Value shared)
      : k(k), g(g), shared(shared) {}

  /// Loads what no launch writes.
  virtual void loadConstants() {}
  /// Stores `value`, in compute type, from `column` of `row` on.
  void store(mlir::Value value, mlir::Value row, mlir::Value column);

  CudaKernelBuilder &k;
  const SkinnyGeometry &g;
  mlir::Value shared;

private:
  /// Zeros from the end of K to the end of the last chunk.
  void storePadding();
};

std::unique_ptr<SkinnyLhs>
createPointwiseLhs(CudaKernelBuilder &k, const SkinnyGeometry &geometry,
                   const LhsPrologue &prologue,
                   llvm::ArrayRef<mlir::Value> operands, mlir::Value shared);
std::unique_ptr<SkinnyLhs>
createNormLhs(CudaKernelBuilder &k, const SkinnyGeometry &geometry,
              const LhsPrologue &prologue, llvm::ArrayRef<mlir::Value> operands,
              const llvm::SmallBitVector &constants, mlir::Value shared);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYLHS_H
