// SPDX-License-Identifier: Apache-2.0
//
// GemmSm80Geometry: the numbers that follow from a problem and a schedule.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_GEMMSM80GEOMETRY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_GEMMSM80GEOMETRY_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/cuda/gemm/GemmOperand.h"
#include "compiler/target/cuda/gemm/TileRaster.h"
#include "compiler/target/cuda/gemm_sm80/GemmSm80Schedule.h"
#include "compiler/target/cuda/gemm_sm80/OperandPrologue.h"

namespace minic::cuda {

/// A stage of shared memory holds `bm` rows of lhs, then `bn` rows of rhs, each
/// `rowBytes` long, then what prologues need besides. After the last stage was
/// used the memory holds the tile of sums, in f32, once per warp along K.
struct GemmSm80Geometry {
  kernel::GemmShape gemm;
  GemmSm80Schedule schedule;
  /// The contraction's operands. One with a prologue is no argument.
  GemmOperand lhs, rhs;
  std::optional<OperandPrologue> lhsPrologue, rhsPrologue;
  TileRaster raster;

  int64_t elementBytes = 0;
  /// Bytes of K in a stage.
  int64_t rowBytes = 0;
  /// Stages that cover K, and those one block passes.
  int64_t kBlocks = 0, kBlocksPerSplit = 0;
  /// What one warp computes of the tile.
  int64_t warpTileM = 0, warpTileN = 0;
  /// Columns that one access of the epilogue has.
  int64_t lanes = 1;
  /// Floats from one row of the tile of sums to the next.
  int64_t sumPitch = 0;

  /// Fails with a reason where `schedule` cannot implement `shape`.
  static mlir::FailureOr<GemmSm80Geometry> get(const kernel::FusionShape &shape,
                                               const GemmSm80Schedule &schedule,
                                               std::string *reason);
  /// Null where a block fits `profile`'s device, else what does not.
  std::optional<std::string> misfit(const DeviceProfile &profile) const;

  /// Blocks that an SM holds at once, at least 1.
  int64_t blocksPerSm(const DeviceProfile &profile) const;

  /// The matrices that are copied from arguments.
  llvm::SmallVector<const GemmOperand *> copied() const;
  bool usesTensorCores() const { return schedule.math != GemmMath::Ffma; }
  int64_t lhsTileBytes() const { return schedule.bm * rowBytes; }
  int64_t stageBytes() const;
  int64_t sharedBytes() const;
  /// Sums that a thread holds.
  int64_t accumulators() const { return warpTileM * warpTileN / 32; }
  /// A rough count of registers a thread needs; more than 255 spill.
  int64_t registers() const;
  /// Blocks per SM that the assembler is to keep to, 0 for as it likes.
  int64_t minBlocksPerSm() const;
  bool hasKTail() const { return gemm.k % schedule.bk != 0; }
  /// Blocks of the launch; 0 where the result has no elements.
  int64_t blocks() const { return raster.blocks(); }
  /// Partial sums and counters of a split K.
  int64_t workspaceBytes() const;
  int64_t counterBytes() const;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_GEMMSM80GEOMETRY_H
