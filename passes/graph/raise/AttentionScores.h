// SPDX-License-Identifier: Apache-2.0
//
// AttentionScores: a chain of ops between two products as the scores and the
// weights of an attention.

#ifndef MINIC_PASSES_GRAPH_RAISE_ATTENTIONSCORES_H
#define MINIC_PASSES_GRAPH_RAISE_ATTENTIONSCORES_H

#include "dialects/graph/Graph.h"

#include <optional>
#include <string>

namespace minic::graph {

/// A mask as it is written: an i1 that is true for keys that take part, or a
/// float that is added.
struct ScoreMask {
  mlir::Value value;
  /// The shape of the scores where it is applied.
  llvm::SmallVector<int64_t> scores;
  /// Whether an i1 is true for keys that are left out instead.
  bool isInverted = false;
  /// What the scores are of keys that an i1 leaves out.
  double fill = 0;

  bool isBool() const;
};

struct AttentionScores {
  MatmulOp product; ///< of query and key
  double scale = 1;
  std::optional<double> softCap;
  /// From the last to the first.
  llvm::SmallVector<ScoreMask> masks;
  /// Batch and heads as the ops between the products have them, in the longest
  /// form that was seen.
  llvm::SmallVector<int64_t> leading;
  /// Whether a row of weights that is NaN becomes 0.
  bool isGuarded = false;

  /// Follows `weights`, the left operand of the second product, backwards to
  /// the first. None, with a reason for people, where an op is not part of
  /// attention, or where a value between the products is used elsewhere.
  static std::optional<AttentionScores> get(mlir::OpOperand &weights,
                                            std::string &reason);
};

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_RAISE_ATTENTIONSCORES_H
