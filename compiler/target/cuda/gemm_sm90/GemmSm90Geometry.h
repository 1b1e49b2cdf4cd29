// SPDX-License-Identifier: Apache-2.0
//
// GemmSm90Geometry: the numbers that follow from a problem and a schedule.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_GEMMSM90GEOMETRY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_GEMMSM90GEOMETRY_H

#include "compiler/target/cuda/EpilogueEmitter.h"
#include "compiler/target/cuda/KernelAbi.h"
#include "compiler/target/cuda/KernelLaunch.h"
#include "compiler/target/cuda/gemm/GemmGeometry.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Schedule.h"
#include "compiler/target/cuda/gemm_sm90/TmaOperand.h"

namespace minic::cuda {

/// The tile of sums is there once per warp group along K. With TMA barriers
/// follow stages and sums: see stageBarriers().
struct GemmSm90Geometry : GemmGeometry {
  GemmSm90Schedule schedule;
  /// With TMA: how it sees the matrices.
  TmaOperand tmaLhs, tmaRhs;
  /// What one warp group computes of the tile.
  int64_t groupTileM = 0, groupTileN = 0;
  /// Results are made in the registers that have the sums (RegisterEpilogue):
  /// there is no tile of sums.
  bool finishesInRegisters = false;
  /// What an access needs besides sums.
  EpilogueEmitter::Registers inputs;

  /// Whether blocks of a cluster, which share a tile's K, add sums up in
  /// registers (ClusterSums).
  bool addsInCluster() const {
    return finishesInRegisters && schedule.splitK > 1;
  }
  /// Of a warp group's tile, columns that a block makes results of.
  int64_t finishColumns() const {
    return addsInCluster() ? groupTileN / schedule.splitK : groupTileN;
  }
  /// Of a team, those that have sums.
  int64_t multiplyingThreads() const { return schedule.warpGroups() * 128; }
  /// Where blocks of a cluster write sums to each other.
  int64_t clusterBytes() const {
    return addsInCluster() ? (schedule.splitK - 1) * multiplyingThreads() *
                                 accumulators() / schedule.splitK * 4
                           : 0;
  }

  /// Fails with a reason where `schedule` cannot implement `shape`, which is of
  /// bf16 or f16 operands.
  static mlir::FailureOr<GemmSm90Geometry> get(const kernel::FusionShape &shape,
                                               const GemmSm90Schedule &schedule,
                                               std::string *reason);
  /// Null where a block fits `profile`'s device, else what does not.
  std::optional<std::string> misfit(const DeviceProfile &profile) const;

  /// Blocks that an SM holds at once, at least 1.
  int64_t blocksPerSm(const DeviceProfile &profile) const;

  /// Of a stage of the ring.
  int64_t stageBytes() const {
    return schedule.keepsRhs ? lhsTileBytes : GemmGeometry::stageBytes();
  }
  /// Of the rhs that stays, which begins behind the ring: `kBlocks` tiles, of
  /// the columns that all tiles of the block have.
  int64_t keptBytes() const {
    return schedule.keepsRhs ? kBlocks * rhsTileBytes : 0;
  }
  /// Stages that copies run ahead. With cp.async those of one stage go where
  /// the one before the last was, which every warp group has left; TMA waits
  /// for that alone.
  int64_t stagesAhead() const {
    return schedule.stages - (schedule.tma ? 1 : 2);
  }
  /// Floats from one row of the tile of sums to the next: rows start in other
  /// banks than their neighbours, for a warp writes pairs of 8 rows.
  int64_t sumPitch() const { return schedule.bn + 8; }
  int64_t sharedBytes() const;
  /// Where the barriers of a ring that TMA fills begin: they are in use by
  /// other blocks of a cluster when stages have become sums. One of 8 bytes per
  /// stage that says it is full, then one each that says it is empty, then one
  /// for each team of a ping-pong that says that it may multiply, and one that
  /// says that the rhs that stays is there.
  int64_t stageBarriers() const;
  /// Of a ping-pong: blocks of its launch.
  int64_t residentBlocks() const;
  /// Of a ping-pong: whether all tiles of a block have the same columns.
  bool staysInColumn() const;
  /// Of a ping-pong, and where results are made in registers: columns that a
  /// warp takes through shared memory at a time, in memory of its own, with
  /// `passPitch()` elements a row: sums in f32, or rounded results. It begins
  /// behind the stages of a ping-pong and the rhs that stays, and else where
  /// they do, behind what blocks of a cluster write to each other.
  int64_t passColumns() const;
  int64_t passPitch() const { return passColumns() + 8; }
  int64_t passBytes() const {
    return 16 * passPitch() * (finishesInRegisters ? 2 : 4);
  }
  /// Of a ping-pong, where sums pass through memory: accesses of a lane in a
  /// pass, for how many of them it loads what results need of their rows before
  /// it stores one, and whether it does so for their columns, too.
  int64_t passAccesses() const { return 16 * passColumns() / lanes / 32; }
  int64_t accessesAtOnce() const;
  bool loadsColumnsAhead() const;
  /// What TMA copies a stage's part of each matrix from, lhs first; none for
  /// cp.async.
  llvm::SmallVector<plan::TensorMapAttr, 2> tensorMaps() const;
  /// Adds them to `launch`, and what else it has.
  void describe(KernelLaunch &launch) const;
  /// Sums that a thread holds.
  int64_t accumulators() const { return groupTileM * groupTileN / 128; }
  /// What a thread that copies keeps where teams take registers over; not fewer
  /// than setmaxnreg leaves.
  static constexpr int64_t copyingRegisters = 24;
  /// A rough count of registers a thread needs; more than 255 spill.
  int64_t registers() const;
  /// Blocks per SM that the assembler is to keep to, 0 for as it likes: it
  /// takes as many registers for addresses as there are.
  int64_t minBlocksPerSm() const;
  /// Parameters that depend on the fusion are not in them.
  KernelLaunchBounds launchBounds() const;
  /// What it may have besides: for what the epilogue reads.
  int64_t freeRegisters() const {
    return cuda::freeRegisters(schedule.threads(), registers(),
                               minBlocksPerSm());
  }

private:
  /// Of a ping-pong: what sums and addresses leave a team's thread.
  int64_t registersBesideSums() const;
  /// How TMA brings an operand, `boxRows` rows at a time.
  TmaOperand tmaOperand(bool isRhs, int64_t boxRows) const;
  BlockResources resources() const;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_GEMMSM90GEOMETRY_H
