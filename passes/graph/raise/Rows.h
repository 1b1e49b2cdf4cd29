// SPDX-License-Identifier: Apache-2.0
//
// Statistics of rows, as exporters write them: reductions that keep their
// dimensions, or that a reshape gives them back.

#ifndef MINIC_PASSES_GRAPH_RAISE_ROWS_H
#define MINIC_PASSES_GRAPH_RAISE_ROWS_H

#include "dialects/graph/Graph.h"

#include <optional>

namespace minic::graph {

/// The mean of `input` over its dimensions from `axis` on.
struct RowMean {
  mlir::Value input;
  uint64_t axis = 0;
};

/// What a value is that broadcasts to the shape of `input` again: a mean, or a
/// sum divided by the number of its elements.
std::optional<RowMean> rowMeanOf(mlir::Value value);

/// A reduction over one dimension that broadcasts to its input's shape again.
struct RowReduction {
  mlir::Value input;
  uint64_t axis = 0;
};

std::optional<RowReduction> rowReductionOf(mlir::Value value, ReduceKind kind);

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_RAISE_ROWS_H
