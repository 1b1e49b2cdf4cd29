// SPDX-License-Identifier: Apache-2.0
//
// PixelKernel: what both kernels of a group norm have in common: who has which
// pixels and channels, and which groups.

#ifndef MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_PIXELKERNEL_H
#define MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_PIXELKERNEL_H

#include "compiler/target/cuda/KernelAbi.h"
#include "compiler/target/cuda/group_norm/GroupNormGeometry.h"

namespace minic::cuda {

/// Loads of parts that are on their way together.
constexpr int64_t kPartsAtOnce = 16;

struct PixelPointers {
  llvm::SmallVector<mlir::Value> operands, results; // the fusion's
  mlir::Value workspace, shared;
};

/// A thread has one vector of channels in all of its pixels. Of planes, the
/// chunk is in shared memory first, where pixels lie as they do in NHWC.
class PixelKernel {
public:
  PixelKernel(CudaKernelBuilder &k, const GroupNormFusion &norm,
              const GroupNormGeometry &geometry, const PixelPointers &pointers);

protected:
  /// Whether each thread has steps() pixels.
  bool isExact() const {
    return g.areChunksEqual() && g.chunk() % g.schedule.pixels == 0;
  }
  mlir::Value operand(mlir::BlockArgument argument) const {
    return p.operands[argument.getArgNumber()];
  }

  /// A vector of channels, as it lies in memory.
  mlir::Value loadChannels(mlir::Value pointer, mlir::Type storage);
  /// This thread's of pixel number `pixel` of the chunk; of planes behind
  /// turnPlanes().
  mlir::Value loadPixel(mlir::Value pixel);
  /// Reads the chunk of planes; nothing for NHWC. All threads come to it.
  void turnPlanes();

  /// Runs `body` for every group in some neighbours, whose number among them is
  /// `own`. `isFirst` is set in one of them. All threads come to it.
  void forGroups(llvm::function_ref<void(mlir::Value group, mlir::Value own,
                                         mlir::Value isFirst)>
                     body);
  /// Where a chunk's part of `group` is in the workspace, in pairs.
  mlir::Value partOf(mlir::Value group, mlir::Value chunk);

  mlir::Value floatAt(mlir::Value pointer, mlir::Value index);
  /// Two f32 that are neighbours, at pair number `index`.
  std::pair<mlir::Value, mlir::Value> loadPair(mlir::Value pointer,
                                               mlir::Value index);
  void storePair(mlir::Value lhs, mlir::Value rhs, mlir::Value pointer,
                 mlir::Value index);
  /// `condition` may be null: always.
  void ifTrue(mlir::Value condition, llvm::function_ref<void()> then);

  CudaKernelBuilder &k;
  const GroupNormFusion &norm;
  const GroupNormGeometry &g;
  const PixelPointers &p;
  mlir::Value image, chunk; ///< the block's
  mlir::Value channel, row; ///< the thread's: first channel, first pixel
  mlir::Value isBusy;       ///< whether the thread has pixels; null: always
  mlir::Value first;        ///< the chunk's first pixel among all images'
  mlir::Value end;          ///< pixels of the chunk
  mlir::Value shared;       ///< shared memory behind the turned chunk

private:
  /// 16 bytes of the turned chunk: number `unit` of those of pixel `pixel`.
  mlir::Value turnedAt(mlir::Value pixel, mlir::Value unit);
};

/// The kernels' code, before the return.
void emitStatistics(CudaKernelBuilder &k, const GroupNormFusion &norm,
                    const GroupNormGeometry &geometry,
                    const PixelPointers &pointers);
void emitResults(CudaKernelBuilder &k, const GroupNormFusion &norm,
                 const GroupNormGeometry &geometry,
                 const PixelPointers &pointers);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_PIXELKERNEL_H
