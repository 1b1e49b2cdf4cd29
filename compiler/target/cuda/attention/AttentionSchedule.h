// SPDX-License-Identifier: Apache-2.0
//
// AttentionSchedule: how the rows and keys of an attention are spread over
// blocks and warps.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONSCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONSCHEDULE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace minic::cuda {

/// A block has `warps` x `keyWarps` warps. Warps of one row number share their
/// rows, each with a part of every block of keys; a warp has `rowTiles` tiles
/// of 16 rows.
///
/// With `wgmma` (sm_90a), four warps have 64 rows of one product, and warps do
/// not share rows.
struct AttentionSchedule {
  int64_t warps = 4;
  int64_t rowTiles = 1;
  int64_t keyWarps = 1;
  /// Keys of a stage.
  int64_t keyBlock = 64;
  /// Blocks of keys and values in shared memory. With one, keys are copied
  /// while values are multiplied, and values while keys are; if there is but
  /// one block of them, both from the beginning.
  int64_t stages = 1;
  /// Blocks that share the keys of a block of rows.
  int64_t split = 1;
  /// These blocks are a cluster (sm_90), and merge their parts from each
  /// other's shared memory.
  bool clustered = false;
  /// The heads that share a key are rows of one block.
  bool packs = false;
  bool wgmma = false;
  /// With wgmma: products of the next keys are under way while weights are made
  /// of these.
  bool ahead = false;
  /// The launch may begin while the one before it ends (sm_90).
  bool programmatic = false;

  int64_t rowBlock() const { return 16 * rowTiles * warps; }
  int64_t threads() const { return 32 * warps * keyWarps; }
  /// Keys of a stage that one warp multiplies.
  int64_t warpKeys() const { return keyBlock / keyWarps; }
};

/// "attention 64x64 warps=4x1 stages=2", then " wgmma", " ahead", " split=8" or
/// " cluster=8", " packed", " pdl".
std::string toString(const AttentionSchedule &schedule);
mlir::DictionaryAttr toAttr(const AttentionSchedule &schedule,
                            mlir::MLIRContext *context);
/// Emits a diagnostic at `loc` for what is no schedule.
mlir::FailureOr<AttentionSchedule>
parseAttentionSchedule(mlir::DictionaryAttr attr, mlir::Location loc);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONSCHEDULE_H
