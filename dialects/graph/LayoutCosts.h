// SPDX-License-Identifier: Apache-2.0
//
// The interface through which graph-assign-layouts asks what an op costs on a
// target. compiler/pipeline implements it.

#ifndef MINIC_DIALECTS_GRAPH_LAYOUTCOSTS_H
#define MINIC_DIALECTS_GRAPH_LAYOUTCOSTS_H

#include "mlir/IR/Operation.h"

namespace minic::graph {

/// Thread-compatible.
class LayoutCosts {
public:
  virtual ~LayoutCosts() = default;
  /// Expected time, in microseconds, of `op` by itself, whose operands are
  /// block arguments of their own. The block it stands in is scratch.
  virtual double opUs(mlir::Operation *op) = 0;
};

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_LAYOUTCOSTS_H
