// SPDX-License-Identifier: Apache-2.0
//
// The rules of kernel-fuse, asked again for one pair.

#include "compiler/explain/WhyApart.h"

#include "compiler/pipeline/EstimateSelector.h"
#include "dialects/graph/Graph.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace minic {

/// Whether one of them is a transpose, a slice or found elements alone.
static bool isMove(kernel::FusionOp fusion) {
  return llvm::all_of(fusion.getBodyOps(), [](Operation *op) {
    return isa<graph::TransposeOp, graph::SliceOp>(op) ||
           (isa<graph::ElementOpInterface>(op) && !graph::isAnchor(op));
  });
}

/// The option that forbids it; empty for none.
static std::string forbiddenBy(kernel::FusionOp fusion,
                               kernel::FusionOp producer,
                               const FuseSwitches &switches) {
  if (isMove(producer)) {
    return switches.moves ? "" : "--fuse-moves=off";
  }
  if (hasAnchor(producer)) {
    return switches.epilogues ? "" : "--fuse-epilogues=off";
  }
  if (hasAnchor(fusion)) {
    return switches.prologues ? "" : "--fuse-prologues=off";
  }
  return switches.pointwise ? "" : "--fuse-pointwise=off";
}

static std::string shapeOf(Value value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(cast<RankedTensorType>(value.getType()).getShape(), os, "x");
  return text.empty() ? "scalar" : text;
}

std::string whyApart(kernel::FusionOp fusion, kernel::FusionOp producer,
                     const FuseSwitches &switches) {
  if (hasAnchor(fusion) && hasAnchor(producer)) {
    return "each has an anchor of its own";
  }
  std::string option = forbiddenBy(fusion, producer, switches);
  if (!option.empty()) {
    return option;
  }
  bool isShared = llvm::any_of(producer->getUsers(), [&](Operation *user) {
    return user != fusion.getOperation();
  });
  std::string from = shapeOf(producer.getResult(0)),
              to = shapeOf(fusion.getResult(0));
  if (from != to) {
    return "shapes differ: " + from + " and " + to;
  }
  return isShared ? "others read its result too"
                  : "a path leads through another op, or no kernel reads it so";
}

} // namespace minic
