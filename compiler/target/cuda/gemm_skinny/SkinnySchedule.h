// SPDX-License-Identifier: Apache-2.0
//
// SkinnySchedule: how a GEMM of few rows is spread over warps.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYSCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYSCHEDULE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

#include <string>

namespace minic::cuda {

/// What multiplies: tensor cores on 16-bit operands, on f32 operands rounded to
/// tf32, or FFMA on f32 operands.
enum class SkinnyMath { Mma16, MmaTf32, Ffma };

/// "mma", "tf32" or "ffma".
llvm::StringRef nameOf(SkinnyMath math);

struct SkinnySchedule {
  SkinnyMath math = SkinnyMath::Mma16;
  /// Columns of the result (rows of the weights) that a block computes: a
  /// multiple of 16 for tensor cores.
  int64_t columns = 16;
  /// Warps of a block; they split K.
  int64_t warps = 8;
  /// Blocks that split K further; the last one to finish adds their sums.
  int64_t split = 1;
  /// These blocks are a cluster (sm_90), and add from each other's shared
  /// memory.
  bool clustered = false;
  /// Steps along K whose weights are a batch.
  int64_t unroll = 4;
  /// Batches of a warp's weights that are on their way to shared memory.
  int64_t stages = 1;
  /// The weights' first loads are issued before earlier launches are complete.
  bool programmatic = false;
  /// Of a programmatic one: the next launch may begin when earlier ones are
  /// complete. Otherwise it may at once, so that several wait at a time, which
  /// is slower where they fill the SMs (docs/tuning.md).
  bool late = false;

  /// Whether a warp asks for the next weights only behind its last products.
  bool hasOneBatch() const { return unroll * stages == 1; }
  bool operator==(const SkinnySchedule &) const = default;
};

/// "gemm_skinny 16 mma warps=8 split=1 unroll=4 stages=2 pdl";
/// " cluster=2" for " split=2" of a cluster, " pdl=late".
std::string toString(const SkinnySchedule &schedule);
mlir::DictionaryAttr toAttr(const SkinnySchedule &schedule,
                            mlir::MLIRContext *context);
/// Emits a diagnostic at `loc` for what is no schedule.
mlir::FailureOr<SkinnySchedule> parseSkinnySchedule(mlir::DictionaryAttr attr,
                                                    mlir::Location loc);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYSCHEDULE_H
