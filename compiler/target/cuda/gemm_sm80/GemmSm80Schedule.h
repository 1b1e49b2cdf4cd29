// SPDX-License-Identifier: Apache-2.0
//
// GemmSm80Schedule: what can be chosen about a GEMM kernel of sm_80 and newer.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_GEMMSM80SCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_GEMMSM80SCHEDULE_H

#include "compiler/target/cuda/gemm/GemmSchedule.h"

namespace minic::cuda {

/// What multiplies.
enum class GemmMath {
  Mma,    // tensor cores on bf16 or f16
  Tf32,   // tensor cores on f32 rounded to tf32
  Tf32x3, // tensor cores, each f32 as the sum of two tf32 (SplitFloat.h)
  Ffma,   // fused multiply-adds of f32
};
llvm::StringRef toString(GemmMath math);

struct GemmSm80Schedule : GemmSchedule {
  /// Warps of a block along M, N and K. Those along K share a tile: each takes
  /// its part of every stage, and the block adds up.
  int64_t warpsM = 2, warpsN = 2, warpsK = 1;
  GemmMath math = GemmMath::Mma;

  int64_t warps() const { return warpsM * warpsN * warpsK; }
  int64_t threads() const { return warps() * 32; }
  bool operator==(const GemmSm80Schedule &) const = default;
};

/// The attribute {bm = 128, bn = 128, ...} of #kernel.impl.
mlir::DictionaryAttr toAttribute(const GemmSm80Schedule &schedule,
                                 mlir::MLIRContext *context);

/// Reads such an attribute. Missing keys have their default; an unknown key, a
/// wrong type or a value out of range is a diagnostic at `loc`.
mlir::FailureOr<GemmSm80Schedule>
parseGemmSm80Schedule(mlir::DictionaryAttr attribute, mlir::Location loc);
/// The same of conv_sm80.
mlir::FailureOr<GemmSm80Schedule>
parseConvSm80Schedule(mlir::DictionaryAttr attribute, mlir::Location loc);

/// "gemm_sm80 128x128x64 warps=2x2 stages=3 group=8 math=mma", or "conv_sm80
/// ...": what is not said is 1, off or dense.
std::string toString(const GemmSm80Schedule &schedule);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_GEMMSM80SCHEDULE_H
