// SPDX-License-Identifier: Apache-2.0
//
// GemmSm90Schedule: what can be chosen about a GEMM kernel of Hopper.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_GEMMSM90SCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_GEMMSM90SCHEDULE_H

#include "compiler/target/cuda/gemm/GemmSchedule.h"

namespace minic::cuda {

struct GemmSm90Schedule : GemmSchedule {
  /// Warp groups, of four warps each, of a block along M, N and K. Those along
  /// K share a tile: each takes its part of every stage, and the block adds up.
  int64_t warpGroupsM = 2, warpGroupsN = 1, warpGroupsK = 1;

  /// Whether stages are copied by TMA, which one more warp asks for, instead of
  /// by all threads with cp.async.
  bool tma = false;
  /// With TMA: neighbouring tiles along M, or along N, whose blocks are a
  /// cluster. What they share is copied to all of them at once, a part by each.
  int64_t multicastM = 1, multicastN = 1;
  /// With TMA: blocks that stay on the device and take tiles in turn; 0 for a
  /// block for each tile. Such a block has two teams, of a warp group each: one
  /// multiplies a tile while the other writes out the one before.
  int64_t pingPongBlocks = 0;
  /// Of a ping-pong: registers of a team's thread, which it takes over from the
  /// warps that copy (setmaxnreg); 0 where all threads keep as many. Then those
  /// warps are a warp group, since only one as a whole can give registers up.
  int64_t teamRegisters = 0;

  /// Of a ping-pong whose blocks have tiles of the same columns: whether these
  /// of rhs stay in shared memory, and stages are of lhs alone.
  bool keepsRhs = false;
  /// L2 gives results up before other lines, so that it keeps operands.
  bool evictsResults = false;
  bool isPingPong() const { return pingPongBlocks > 0; }
  bool movesRegisters() const { return teamRegisters > 0; }
  int64_t teams() const { return isPingPong() ? 2 : 1; }
  /// Of a team, which has a tile.
  int64_t warpGroups() const { return warpGroupsM * warpGroupsN * warpGroupsK; }
  int64_t threads() const {
    int64_t copying = !tma ? 0 : movesRegisters() ? 128 : 32;
    return teams() * warpGroups() * 128 + copying;
  }
  int64_t multicast() const { return multicastM * multicastN; }
  bool operator==(const GemmSm90Schedule &) const = default;
};

/// The attribute {bm = 128, bn = 128, ...} of #kernel.impl.
mlir::DictionaryAttr toAttribute(const GemmSm90Schedule &schedule,
                                 mlir::MLIRContext *context);

/// Reads such an attribute. Missing keys have their default; an unknown key, a
/// wrong type or a value out of range is a diagnostic at `loc`.
mlir::FailureOr<GemmSm90Schedule>
parseGemmSm90Schedule(mlir::DictionaryAttr attribute, mlir::Location loc);
/// The same of conv_sm90.
mlir::FailureOr<GemmSm90Schedule>
parseConvSm90Schedule(mlir::DictionaryAttr attribute, mlir::Location loc);

/// "gemm_sm90 128x160x64 warpgroups=2x1 stages=5 group=8", or "conv_sm90 ...":
/// what is not said is 1, off, dense or cp.async. TMA is " copies=tma", a
/// cluster of two tiles along M that share rhs " multicast=2x1", blocks that
/// stay " pingpong=132", with rhs in shared memory " rhs=kept", the registers
/// that their teams take over " registers=240", and results that leave L2 first
/// " results=evict_first".
std::string toString(const GemmSm90Schedule &schedule);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_GEMMSM90SCHEDULE_H
