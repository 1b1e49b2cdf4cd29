// SPDX-License-Identifier: Apache-2.0
//
// SkinnyGeometry: the numbers that follow from a problem and a schedule.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYGEOMETRY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYGEOMETRY_H

#include "compiler/target/cuda/gemm_skinny/SkinnyFusion.h"
#include "compiler/target/cuda/gemm_skinny/SkinnySchedule.h"
#include "compiler/target/cuda/rows/RowSchedule.h"

#include "llvm/Support/MathExtras.h"

namespace minic::cuda {

/// Elements of an lhs that a thread has at a time, at most, beside the first
/// weights.
constexpr int64_t kMadeAtOnce = 16;

/// What a warp copies or reads at once: 16 bytes for each lane.
constexpr int64_t kWarpAccessBytes = 16 * 32;

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
  /// All warps' sums and, behind them, the flag of the last block, or what the
  /// blocks of its cluster send the first one, [block][M][columns].
  int64_t blockSumsOffset() const { return schedule.warps * partialBytes(); }
  int64_t sumBytes() const {
    return blockSumsOffset() +
           (schedule.clustered
                ? int64_t(llvm::alignTo(
                      4 * schedule.split * gemm.m * schedule.columns, 16))
                : 16);
  }

  /// The lhs is made in shared memory, by a prologue.
  bool makesLhs = false;
  /// Elements of it that a thread has at a time, roughly.
  int64_t madeAtOnce = 0;
  /// Elements from one row of the lhs to the next. One that is made is zero up
  /// to the end of a chunk, and the eight lanes that read two rows together
  /// find them in different banks.
  int64_t lhsPitch() const {
    int64_t line = std::max(128 / elementBytes, chunk());
    return makesLhs ? (gemm.k + line - 1) / line * line + 64 / elementBytes
                    : gemm.k;
  }
  /// Where it begins in shared memory, and what it takes there.
  int64_t lhsOffset() const { return (sumBytes() + 127) / 128 * 128; }
  int64_t lhsBytes() const {
    return makesLhs ? gemm.m * lhsPitch() * elementBytes : 0;
  }
  /// Behind it, what threads exchange while they make it.
  int64_t mergeBytes = 0;
  int64_t mergeOffset() const { return lhsOffset() + lhsBytes(); }
  /// How a block's threads take the rows of a norm.
  RowSchedule rowSchedule(const RowFusion &rows) const;

  /// Weights that warps copy to shared memory, behind all else: each warp's
  /// stages, and in a stage the vectors of each load, by lane. A lane reads
  /// what it copied.
  int64_t stageBytes() const {
    return schedule.unroll * loadsPerChunk() * kWarpAccessBytes;
  }
  int64_t weightsOffset() const {
    int64_t end = makesLhs ? mergeOffset() + mergeBytes : sumBytes();
    return (end + 127) / 128 * 128;
  }

  int64_t sharedBytes() const {
    return weightsOffset() + schedule.warps * schedule.stages * stageBytes();
  }

  /// Blocks that split K meet in memory, with their sums and counters.
  bool meetsInMemory() const {
    return schedule.split > 1 && !schedule.clustered;
  }
  int64_t workspaceBytes() const {
    return meetsInMemory()
               ? 4 * schedule.split * tiles() * gemm.m * schedule.columns
               : 0;
  }
  int64_t counterBytes() const { return meetsInMemory() ? 4 * tiles() : 0; }

  /// Registers of a thread, roughly.
  int64_t registers() const;
  /// Blocks of an SM that the kernel is compiled for.
  int64_t minBlocksPerSm() const;

  /// Fails with a reason where the schedule does not fit the problem.
  static mlir::FailureOr<SkinnyGeometry> get(const SkinnyFusion &fusion,
                                             const SkinnySchedule &schedule,
                                             std::string *reason);
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYGEOMETRY_H
