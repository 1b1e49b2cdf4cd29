// SPDX-License-Identifier: Apache-2.0
//
// KnownValues: the elements of a tensor that depends on constants alone. What
// graph-fold-constants leaves, because it would store more than it reads, such
// as a causal mask of thousands of keys, is looked at here.

#ifndef MINIC_PASSES_GRAPH_RAISE_KNOWNVALUES_H
#define MINIC_PASSES_GRAPH_RAISE_KNOWNVALUES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace minic::graph {

struct KnownValues {
  llvm::SmallVector<int64_t> shape;
  std::vector<float> elements; ///< row-major; 0 and 1 for an i1

  /// None where an element depends on an input, where an op is not one that
  /// makes masks, and where f32 cannot hold an integer.
  static std::optional<KnownValues> get(mlir::Value value);
};

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_RAISE_KNOWNVALUES_H
