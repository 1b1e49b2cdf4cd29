// SPDX-License-Identifier: Apache-2.0
//
// Multiply: what one thread does with a stage of shared memory.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_MULTIPLY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_MULTIPLY_H

#include "compiler/target/cuda/gemm_sm80/GemmSm80Geometry.h"

#include <memory>

namespace minic::cuda {

/// A thread's sums of its warp's tile are a flat list of f32. Which element of
/// the tile each one is, or a part of, is this class's own affair.
class Multiply {
public:
  virtual ~Multiply() = default;

  /// A stage is multiplied in steps: load one's elements of both operands, of
  /// the stage at `lhs` and `rhs`, into registers; add its products to `sums`.
  virtual int64_t steps() const = 0;
  virtual int64_t sums() const { return g_.accumulators(); }
  virtual llvm::SmallVector<mlir::Value> load(mlir::Value lhs, mlir::Value rhs,
                                              int64_t step) = 0;
  virtual void multiply(llvm::ArrayRef<mlir::Value> loaded,
                        llvm::MutableArrayRef<mlir::Value> sums) = 0;
  /// Whether a step is to be loaded before the one ahead of it is multiplied,
  /// across stages; the registers must suffice.
  virtual bool loadsAhead() const = 0;
  /// Writes the sums to the tile of sums that begins at `shared`.
  virtual void store(llvm::ArrayRef<mlir::Value> sums, mlir::Value shared) = 0;

  /// For the kernel that `builder` stands in: its thread-dependent addresses
  /// are computed here.
  static std::unique_ptr<Multiply> create(CudaKernelBuilder &builder,
                                          const GemmSm80Geometry &geometry,
                                          mlir::Value warp, mlir::Value lane);

protected:
  Multiply(CudaKernelBuilder &builder, const GemmSm80Geometry &geometry,
           mlir::Value warp, mlir::Value lane);

  CudaKernelBuilder &k_;
  const GemmSm80Geometry &g_;
  /// The warp's place among the block's, and the first row and column of its
  /// tile in the block's.
  mlir::Value lane_, warpK_, firstRow_, firstColumn_;
  /// Where the sums of this warp's part of K go.
  mlir::Value sumTile(mlir::Value shared);
};

/// ldmatrix and mma.sync.
std::unique_ptr<Multiply>
createTensorCoreMultiply(CudaKernelBuilder &builder,
                         const GemmSm80Geometry &geometry, mlir::Value warp,
                         mlir::Value lane);
/// Scalar multiply-adds of f32.
std::unique_ptr<Multiply> createFfmaMultiply(CudaKernelBuilder &builder,
                                             const GemmSm80Geometry &geometry,
                                             mlir::Value warp,
                                             mlir::Value lane);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_MULTIPLY_H
