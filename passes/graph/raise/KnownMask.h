// SPDX-License-Identifier: Apache-2.0
//
// KnownMask: a mask of attention whose elements are known when the model is
// compiled.

#ifndef MINIC_PASSES_GRAPH_RAISE_KNOWNMASK_H
#define MINIC_PASSES_GRAPH_RAISE_KNOWNMASK_H

#include "dialects/graph/Graph.h"

#include <optional>
#include <vector>

namespace minic::graph {

/// Which keys a query sees, by its position, in the words of graph.attention.
struct KeyBand {
  Causal causal = Causal::None;
  std::optional<int64_t> window;
};

class KnownMask {
public:
  /// None where `mask` depends on inputs or has more than four dimensions.
  static std::optional<KnownMask> get(mlir::Value mask);

  bool isBool() const { return bool_; }
  /// [B, H, T, S], 1 where it is the same for all.
  llvm::ArrayRef<int64_t> shape() const { return shape_; }
  /// Row-major; 0 and 1 for an i1.
  llvm::ArrayRef<float> values() const { return values_; }

  /// Whether each query has a key that an i1 lets take part, or to which a
  /// float does not add -infinity.
  bool hasKeyInEachRow() const;
  /// Whether a float is 0 or leaves keys out, and says nothing else; what
  /// counts as leaving out is `fill` or less.
  bool isZeroOrAtMost(double fill) const;

  /// Without the dimensions along which it does not change.
  KnownMask smallest() const;
  /// As an i1: true where a float is 0.
  KnownMask asBool() const;
  /// The band that an i1 is for `queries` and `keys`; `smallest` was asked.
  std::optional<KeyBand> asBand(int64_t queries, int64_t keys) const;
  /// `shape` without leading ones.
  mlir::ElementsAttr attribute(mlir::Type dtype) const;

private:
  bool isSameAlong(unsigned dim) const;
  KnownMask firstAlong(unsigned dim) const;
  bool isBand(const KeyBand &band, int64_t queries, int64_t keys) const;

  bool bool_ = false;
  llvm::SmallVector<int64_t, 4> shape_;
  std::vector<float> values_;
};

/// The score that is as good as -infinity beside any score that is not: what
/// exporters write for keys left out, the lowest f32.
inline constexpr double lowestScore = -1e38;

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_RAISE_KNOWNMASK_H
