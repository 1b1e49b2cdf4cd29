// SPDX-License-Identifier: Apache-2.0
//
// SkinnyDot: what one warp does along K.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYDOT_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYDOT_H

#include "compiler/target/cuda/KernelAbi.h"
#include "compiler/target/cuda/gemm_skinny/SkinnyGeometry.h"

namespace minic::cuda {

/// Loads and multiplies chunks of K for all columns of a block. Weights go from
/// global memory into registers, 16 bytes per lane, past L1; the few rows of
/// the other operand stay in L1, or in shared memory where the block makes
/// them.
class SkinnyDot {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  virtual ~SkinnyDot() = default;

  /// Weights of the chunk from element `k` on. `guarded`: some lanes may be
  /// behind the end of K; they read zeros.
  Values loadWeights(mlir::Value k, bool guarded);
  /// Puts weights of `count` whole chunks on their way to `shared`, where the
  /// lane has its vectors, as part of the thread's next group of asynchronous
  /// copies; reads them from there.
  void copyWeights(mlir::Value k, int64_t count, mlir::Value shared);
  Values readWeights(int64_t count, mlir::Value shared);
  /// Adds the products of such chunks to `sums`.
  Values multiply(mlir::ValueRange sums, mlir::ValueRange weights,
                  mlir::Value k, int64_t count, bool guarded);

  /// The sums' initial values, f32.
  Values zeroSums();
  /// Writes the warp's sums to shared memory: [partialRows][partialPitch].
  virtual void storeSums(mlir::ValueRange sums, mlir::Value shared) = 0;

  /// `lhs` and `rhs` are the operands' pointers, `column` the block's first.
  static std::unique_ptr<SkinnyDot> create(CudaKernelBuilder &k,
                                           const SkinnyGeometry &geometry,
                                           mlir::Value lhs, mlir::Value rhs,
                                           mlir::Value column);

protected:
  SkinnyDot(CudaKernelBuilder &k, const SkinnyGeometry &g) : k(k), g(g) {}

  /// Adds one chunk; `weights` are its loadsPerChunk vectors.
  virtual void multiplyChunk(Values &sums, mlir::ValueRange weights,
                             mlir::Value at, bool guarded) = 0;
  virtual int64_t sumCount() const = 0;

  /// The weight rows of a chunk's loads: `first`, `first + step`, ... of the
  /// block's, at the lane's first element.
  void setRows(mlir::Value rhs, mlir::Value column, mlir::Value first,
               int64_t step);
  /// Four words of the lhs: 16 bytes at row pointer `row`, element `at` plus
  /// the lane's first. In pieces where rows are not aligned to 16 bytes.
  Values loadLhs(mlir::Value row, mlir::Value at, bool guarded);
  mlir::Value lhsRow(mlir::Value lhs, mlir::Value row);

  /// `yes` where `condition` holds, else zeros of its type.
  mlir::Value orZero(mlir::Value condition, mlir::Type type,
                     llvm::function_ref<mlir::Value()> yes);

  CudaKernelBuilder &k;
  const SkinnyGeometry &g;
  /// Elements from the chunk's first to the lane's first.
  mlir::Value laneElements;

private:
  /// Where a weight row begins: constant distances are in the instructions.
  struct Row {
    size_t pointer;
    int64_t bytes = 0;
  };
  mlir::Value streamVector(mlir::Value pointer, int64_t bytes);

  llvm::SmallVector<mlir::Value> pointers;
  llvm::SmallVector<Row> rows;
};

std::unique_ptr<SkinnyDot> createMmaDot(CudaKernelBuilder &k,
                                        const SkinnyGeometry &geometry,
                                        mlir::Value lhs, mlir::Value rhs,
                                        mlir::Value column);
std::unique_ptr<SkinnyDot> createFfmaDot(CudaKernelBuilder &k,
                                         const SkinnyGeometry &geometry,
                                         mlir::Value lhs, mlir::Value rhs,
                                         mlir::Value column);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYDOT_H
