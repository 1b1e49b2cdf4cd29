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

  int64_t warpGroups() const { return warpGroupsM * warpGroupsN * warpGroupsK; }
  int64_t threads() const { return warpGroups() * 128; }
  bool operator==(const GemmSm90Schedule &) const = default;
};

/// The attribute {bm = 128, bn = 128, ...} of #kernel.impl.
mlir::DictionaryAttr toAttribute(const GemmSm90Schedule &schedule,
                                 mlir::MLIRContext *context);

/// Reads such an attribute. Missing keys have their default; an unknown key, a
/// wrong type or a value out of range is a diagnostic at `loc`.
mlir::FailureOr<GemmSm90Schedule>
parseGemmSm90Schedule(mlir::DictionaryAttr attribute, mlir::Location loc);

/// "gemm_sm90 128x160x64 warpgroups=2x1 stages=5 group=8": what is not said is
/// 1, off or dense.
std::string toString(const GemmSm90Schedule &schedule);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_GEMMSM90SCHEDULE_H
