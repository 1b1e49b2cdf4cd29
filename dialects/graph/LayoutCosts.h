// SPDX-License-Identifier: Apache-2.0
//
// The interface through which graph-assign-layouts asks what an op costs on a
// target. compiler/pipeline implements it.

#ifndef MINIC_DIALECTS_GRAPH_LAYOUTCOSTS_H
#define MINIC_DIALECTS_GRAPH_LAYOUTCOSTS_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace minic::graph {

/// Thread-compatible.
class LayoutCosts {
public:
  virtual ~LayoutCosts() = default;
  /// Expected time, in microseconds, of the ops of `block` as one kernel, or as
  /// few as it takes. What they read are arguments of the block, their result
  /// is that of the last one. The block is scratch: it may be changed.
  virtual double blockUs(mlir::Block &block) = 0;
  /// What such a block was measured to take, now if it has not been, which
  /// blockUs() says from then on; none where nothing can be measured.
  virtual std::optional<double> measuredUs(mlir::Block &block) {
    return std::nullopt;
  }
  /// Takes a line for people: what was chosen in `function`, and why.
  virtual void note(llvm::StringRef function, std::string line) {}
};

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_LAYOUTCOSTS_H
