// SPDX-License-Identifier: Apache-2.0
//
// AttentionGeometry: where the rows, keys and partial results of an attention
// lie, in the grid, in shared memory and in the workspace.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONGEOMETRY_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONGEOMETRY_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/codegen/AttentionFusion.h"
#include "compiler/target/cuda/attention/AttentionSchedule.h"

namespace minic::cuda {

/// Rows of a 16-bit operand in shared memory: padded with zeros to a multiple
/// of 16 elements. For ldmatrix their pitch is an odd number of 16 bytes, so
/// that it finds 8 rows in different banks. For wgmma a tile of rows is cut
/// along them into tiles of `atomBytes` (128, 64 or 32) bytes, each laid out as
/// SharedTile says; elsewhere that is 0.
struct SharedRows {
  int64_t elements, padded;
  /// Bytes of one cp.async: what the operand's rows are aligned to.
  int64_t accessBytes;
  int64_t atomBytes;

  int64_t pitch() const { return atomBytes ? atomBytes : padded * 2 + 16; }
  /// Of a tile of `rows` rows.
  int64_t bytes(int64_t rows) const {
    return rows * (atomBytes ? padded * 2 : pitch());
  }
};

struct AttentionGeometry {
  AttentionFusion fusion;
  AttentionSchedule schedule;
  SharedRows query, key, value;
  /// Heads of the query that are rows of one block.
  int64_t heads;

  /// Fails with a reason where `schedule` does not fit.
  static mlir::FailureOr<AttentionGeometry>
  get(const AttentionFusion &fusion, const AttentionSchedule &schedule,
      std::string &reason);

  /// Rows that share keys, and the blocks that they take.
  int64_t rows() const { return heads * fusion.rows; }
  int64_t rowBlocks() const;
  /// Pairs of a batch and the heads of a block.
  int64_t outer() const { return fusion.batch * fusion.heads / heads; }
  int64_t blocks() const { return rowBlocks() * outer(); }
  int64_t keyBlocks() const;
  /// Parts meet in the workspace.
  bool meetsInMemory() const {
    return schedule.split > 1 && !schedule.clustered;
  }
  /// A block has one block of keys at most, in its only stage: nothing is ever
  /// copied over it.
  bool hasOneKeyBlock() const {
    return schedule.stages == 1 && keyBlocks() <= schedule.split;
  }

  /// The block of keys may be copied before earlier launches are done, where
  /// these write none of the operands that say which keys there are: new ones
  /// are stored behind the copies.
  bool mayCopyEarly() const {
    return schedule.programmatic && hasOneKeyBlock() &&
           fusion.updates.size() == 2;
  }
  /// The operands that are read for it.
  llvm::SmallVector<unsigned> earlyOperands() const;

  /// The query stays in registers; otherwise each block of keys has it read
  /// again.
  bool keepsQuery() const;
  /// Scores are scaled by the exponential's own multiplication.
  bool foldsScale() const;
  /// Some keys may be left out, beyond the last one's block being cut.
  bool leavesOut() const;

  int64_t queryBytes() const { return query.bytes(schedule.rowBlock()); }
  int64_t keyBytes() const { return key.bytes(schedule.keyBlock); }
  int64_t stageBytes() const {
    return keyBytes() + value.bytes(schedule.keyBlock);
  }
  /// Of a partial result: rows of f32 values, then maximum and sum of each.
  int64_t partialPitch() const { return value.padded + 4; }
  int64_t partialRows() const { return std::min(schedule.rowBlock(), rows()); }
  int64_t partialFloats() const { return partialRows() * (partialPitch() + 2); }
  /// Blocks of a cluster send their parts to the first one, each of whose
  /// threads merges two values at most. Otherwise each block merges some rows
  /// of all.
  bool sendsParts() const {
    return schedule.clustered &&
           partialRows() * value.padded / 2 <= schedule.threads() &&
           schedule.split * partialFloats() * 4 <= 16 << 10;
  }
  /// Of the parts that a block has in shared memory: those of warps that share
  /// rows, then its own for its cluster.
  int64_t sharedParts() const {
    return (schedule.keyWarps > 1 ? schedule.keyWarps : 0) +
           (schedule.clustered && !sendsParts() ? 1 : 0);
  }
  /// Where those lie that other blocks send, at any time.
  int64_t sentPartsOffset() const;
  int64_t sharedBytes() const;
  int64_t workspaceBytes() const;
  int64_t counterBytes() const { return blocks() * 4; }

  /// About the registers that a thread needs.
  int64_t registers() const;
  int64_t blocksPerSm(const DeviceProfile &profile) const;
};

/// The attention that is `fusion`, where this family takes it; a reason where
/// it does not. Results are numbered as the kernel's parameters, behind
/// operands.
mlir::FailureOr<AttentionFusion> matchAttention(kernel::FusionOp fusion,
                                                std::string &reason);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONGEOMETRY_H
