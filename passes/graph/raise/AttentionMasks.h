// SPDX-License-Identifier: Apache-2.0
//
// AttentionMasks: all masks that are applied to scores, as the one operand that
// graph.attention takes.

#ifndef MINIC_PASSES_GRAPH_RAISE_ATTENTIONMASKS_H
#define MINIC_PASSES_GRAPH_RAISE_ATTENTIONMASKS_H

#include "passes/graph/raise/AttentionScores.h"

namespace minic::graph {

/// Batch and heads of an attention.
struct HeadShape {
  int64_t batch = 1, heads = 1;
  int64_t product() const { return batch * heads; }
};

class AttentionMasks {
public:
  /// Decides without changing anything. None, with a reason for people, where
  /// attention would compute something else: a query without keys is NaN behind
  /// a softmax and 0 in attention. So either each row has a key, or the weights
  /// are guarded; a guard also says that the lowest f32 stands for -infinity.
  static std::optional<AttentionMasks>
  get(const AttentionScores &scores, HeadShape heads, std::string &reason);

  /// The operand; null for no mask.
  mlir::Value build(mlir::OpBuilder &builder, mlir::Location loc) const;

private:
  struct Part {
    mlir::Value value;
    /// What `value` is broadcast to and then reshaped to.
    llvm::SmallVector<int64_t> repeated, shape;
    bool isInverted = false;
    /// What an i1 adds to the scores of keys; none where it leaves them out.
    std::optional<double> fill;
  };
  llvm::SmallVector<Part> parts_; // from the first to the last
};

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_RAISE_ATTENTIONMASKS_H
