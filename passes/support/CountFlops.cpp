// SPDX-License-Identifier: Apache-2.0
//
// The conventional count: what a kernel repeats or saves does not matter.

#include "passes/support/CountFlops.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

int64_t minic::countFlops(Operation *op) {
  auto fusible = dyn_cast<graph::FusibleOpInterface>(op);
  if (!fusible) {
    return 0;
  }
  graph::IterationSpace space = fusible.getIterationSpace();
  return fusible.getFlopsPerPoint() * space.pointCount() +
         fusible.getFlopsPerResult() * space.parallelPointCount();
}
