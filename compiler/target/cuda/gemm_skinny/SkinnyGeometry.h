// SPDX-License-Identifier: Apache-2.0
//
// SkinnyGeometry: the numbers that follow from a problem and a schedule.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYGEOMETRY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYGEOMETRY_H

#include "compiler/target/cuda/gemm_skinny/SkinnySchedule.h"
#include "dialects/kernel/FusionShape.h"

namespace minic::cuda {

/// Rows of the result that the family takes.
constexpr int64_t kSkinnyRows = 32;

struct SkinnyGeometry {
  kernel::GemmShape gemm;
  SkinnySchedule schedule;
  mlir::Type dtype; // of both operands

  int64_t elementBytes = 2;
  /// Elements of a 16-byte access.
  int64_t vector() const { return 16 / elementBytes; }
  /// K that one load per lane covers: of one row by four lanes for tensor
  /// cores, by all lanes for FFMA.
  int64_t chunk() const {
    return vector() * (schedule.math == SkinnyMath::Ffma ? 32 : 4);
  }
  /// Loads of weights per lane for one chunk.
  int64_t loadsPerChunk() const {
    return schedule.math == SkinnyMath::Ffma ? schedule.columns
                                             : schedule.columns / 8;
  }
  /// Tiles of eight rows of the result.
  int64_t rowTiles() const { return (gemm.m + 7) / 8; }
  /// Elements from one weight row to the next: K, padded so that rows are
  /// aligned to 16 bytes.
  int64_t pitch() const {
    return (gemm.k + vector() - 1) / vector() * vector();
  }
  int64_t tiles() const {
    return (gemm.n + schedule.columns - 1) / schedule.columns;
  }
  int64_t threads() const { return 32 * schedule.warps; }
  int64_t batchK() const { return chunk() * schedule.unroll; }
  int64_t fullBatches() const { return gemm.k / batchK(); }

  /// f32 sums of one warp in shared memory: rows, and floats from one row to
  /// the next, which no two lanes of a store share a bank by.
  int64_t partialRows() const {
    return schedule.math == SkinnyMath::Ffma ? gemm.m : 8 * rowTiles();
  }
  int64_t partialPitch() const { return (schedule.columns + 3) / 4 * 4 + 4; }
  int64_t partialBytes() const { return 4 * partialRows() * partialPitch(); }
  int64_t sharedBytes() const { return schedule.warps * partialBytes() + 16; }

  /// Sums of the blocks that split K, and their counters; 0 without split.
  int64_t workspaceBytes() const {
    return schedule.split == 1
               ? 0
               : 4 * schedule.split * tiles() * gemm.m * schedule.columns;
  }
  int64_t counterBytes() const { return schedule.split == 1 ? 0 : 4 * tiles(); }

  /// Registers of a thread, roughly.
  int64_t registers() const;
  /// Blocks of an SM that the kernel is compiled for.
  int64_t minBlocksPerSm() const;

  /// Fails with a reason where the schedule does not fit the problem.
  static mlir::FailureOr<SkinnyGeometry> get(const kernel::FusionShape &shape,
                                             const SkinnySchedule &schedule,
                                             std::string *reason);
};

/// The shape of a fusion that the family takes, or why it does not.
mlir::FailureOr<kernel::FusionShape> matchSkinny(kernel::FusionOp fusion,
                                                 std::string *reason);

/// The weights' layout: rows of N with K innermost, padded to 16 bytes; unit
/// where they are stored so.
mlir::Attribute getWeightLayout(const kernel::FusionShape &shape);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYGEOMETRY_H
