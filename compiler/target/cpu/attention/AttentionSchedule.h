// SPDX-License-Identifier: Apache-2.0
//
// AttentionSchedule: how queries and keys of an attention are cut into blocks.

#ifndef MINIC_COMPILER_TARGET_CPU_ATTENTION_ATTENTIONSCHEDULE_H
#define MINIC_COMPILER_TARGET_CPU_ATTENTION_ATTENTIONSCHEDULE_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/codegen/AttentionFusion.h"

#include <string>
#include <vector>

namespace minic::cpu {

struct AttentionSchedule {
  /// Queries of a tile at most. From 16 on a multiple of it, and lanes are
  /// queries; below, lanes are elements of a key, and then keys.
  int64_t rows = 64;
  int64_t step = 6;   ///< keys whose scores registers hold
  int64_t keys = 128; ///< of a block, about
  int64_t split = 1;  ///< parts of a tile's keys, each another thread's
  /// Products of bf16 by the tiles of AMX; a step is 16 keys then.
  bool tiles = false;

  bool hasLanesOfQueries() const { return rows >= 16; }

  friend bool operator==(const AttentionSchedule &lhs,
                         const AttentionSchedule &rhs) = default;
};

struct EstimatedAttention {
  AttentionSchedule schedule;
  double us;
};

/// The schedules worth measuring, best estimate first; one to eight.
std::vector<EstimatedAttention>
enumerateSchedules(const AttentionFusion &body, const DeviceProfile &profile);

/// Whether the tiles of AMX multiply what `body` has, on such a device.
bool takesTiles(const AttentionFusion &body, const DeviceProfile &profile);
/// The schedule of the form without AMX beside one with tiles: the same grid.
AttentionSchedule withoutTiles(AttentionSchedule schedule);

/// "attention 64x6 keys=128", "attention 1x16 keys=512 split=2", or "attention
/// 64x16 keys=128 dot=tiles".
std::string toString(const AttentionSchedule &schedule);
mlir::DictionaryAttr toAttr(const AttentionSchedule &schedule,
                            mlir::MLIRContext *context);
/// That of the implementation of `fusion`. Any other is a diagnostic.
mlir::FailureOr<AttentionSchedule>
parseAttentionSchedule(kernel::FusionOp fusion);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ATTENTION_ATTENTIONSCHEDULE_H
