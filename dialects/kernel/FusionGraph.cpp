// SPDX-License-Identifier: Apache-2.0
//
// Puts each body op into a stage, and finds what a stage reads behind reshapes
// and transposes.

#include "dialects/kernel/FusionGraph.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::kernel {

StageKind getStageKind(Operation *op) {
  auto fusible = cast<graph::FusibleOpInterface>(op);
  if (isa<graph::PointwiseOpInterface>(op)) {
    return StageKind::Pointwise;
  }
  if (graph::isContraction(op)) {
    return StageKind::Contraction;
  }
  if (graph::isConvolution(op)) {
    return StageKind::Convolution;
  }
  graph::IterationSpace space = fusible.getIterationSpace();
  if (space.hasReduction()) {
    return StageKind::Reduction;
  }
  return llvm::all_of(space.operandMaps, [](AffineMap map) { return map; })
             ? StageKind::Pointwise
             : StageKind::Gather;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Whether `use` may read outside of its value.
static bool mayLeave(OpOperand &use) {
  auto user = dyn_cast<graph::FusibleOpInterface>(use.getOwner());
  return user && user.getPaddingValue(use.getOperandNumber());
}

/// An op that is no stage: its readers read its operand under another map.
/// Where they leave the result they would be somewhere in the operand.
static bool isView(Operation *op) {
  if (!op || op->getNumOperands() != 1 || op->getNumResults() != 1 ||
      !graph::movesElements(op) || mayLeave(op->getOpOperand(0))) {
    return false;
  }
  return cast<graph::FusibleOpInterface>(op)
             .getIterationSpace()
             .operandMaps[0] &&
         llvm::none_of(op->getUses(), [](OpOperand &use) {
           return isa<YieldOp>(use.getOwner()) || mayLeave(use);
         });
}

/// A value read at `map`, behind the views that it is a result of.
static std::pair<Value, AffineMap> lookThroughViews(Value value,
                                                    AffineMap map) {
  while (map && isView(value.getDefiningOp())) {
    Operation *view = value.getDefiningOp();
    map = cast<graph::FusibleOpInterface>(view)
              .getIterationSpace()
              .operandMaps[0]
              .compose(map);
    value = view->getOperand(0);
  }
  return {value, map};
}

namespace {

class Builder {
public:
  explicit Builder(FusionGraph &graph) : graph_(graph) {}

  void add(Operation *op) {
    if (isView(op)) {
      return;
    }
    StageKind kind = getStageKind(op);
    // Elements that are moved are read at other places than they are written.
    bool joins = kind == StageKind::Pointwise && !graph::movesElements(op);
    size_t stage = joins ? findStage(op) : graph_.stages.size();
    if (stage == graph_.stages.size()) {
      graph_.stages.push_back({kind, {}});
    }
    graph_.stages[stage].ops.push_back(op);
    stageOf_[op] = stage;
  }

private:
  /// The first pointwise stage of `op`'s shape that comes no earlier than what
  /// `op` reads; the number of stages for none.
  size_t findStage(Operation *op) {
    size_t earliest = 0;
    graph::IterationSpace space =
        cast<graph::FusibleOpInterface>(op).getIterationSpace();
    for (auto [operand, map] :
         llvm::zip_equal(op->getOperands(), space.operandMaps)) {
      auto [value, at] = lookThroughViews(operand, map);
      if (Operation *producer = value.getDefiningOp()) {
        size_t stage = stageOf_.lookup(producer);
        bool isInPlace = graph_.stages[stage].kind == StageKind::Pointwise &&
                         at.isIdentity();
        earliest = std::max(earliest, stage + !isInPlace);
      }
    }
    for (size_t i = earliest; i < graph_.stages.size(); ++i) {
      const Stage &stage = graph_.stages[i];
      if (stage.kind == StageKind::Pointwise &&
          !graph::movesElements(stage.ops.front()) &&
          shapeOf(stage.ops.front()->getResult(0)) ==
              shapeOf(op->getResult(0))) {
        return i;
      }
    }
    return graph_.stages.size();
  }

  FusionGraph &graph_;
  llvm::DenseMap<Operation *, size_t> stageOf_;
};

} // namespace

FailureOr<FusionGraph> FusionGraph::get(FusionOp fusion, std::string *reason) {
  auto fail = [&](const Twine &why) -> FailureOr<FusionGraph> {
    if (reason) {
      *reason = why.str();
    }
    return failure();
  };
  FusionGraph graph;
  Builder builder(graph);
  for (Operation *op : fusion.getBodyOps()) {
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                              op->getResultTypes())) {
      if (!cast<RankedTensorType>(type).hasStaticShape()) {
        return fail("dynamic shapes are unsupported");
      }
    }
    if (!isa<graph::FusibleOpInterface>(op)) {
      return fail(op->getName().getStringRef() + " in a fusion");
    }
    builder.add(op);
  }
  return graph;
}

StageSpace FusionGraph::getSpace(const Stage &stage) const {
  graph::IterationSpace space;
  SmallVector<Access> reads, writes;
  for (Operation *op : stage.ops) {
    auto fusible = cast<graph::FusibleOpInterface>(op);
    space = fusible.getIterationSpace();
    for (OpOperand &use : op->getOpOperands()) {
      unsigned number = use.getOperandNumber();
      auto [value, map] =
          lookThroughViews(use.get(), space.operandMaps[number]);
      if (!llvm::is_contained(stage.ops, value.getDefiningOp())) {
        reads.push_back({.value = value,
                         .use = &use,
                         .role = fusible.getOperandRole(number),
                         .map = map,
                         .padding = fusible.getPaddingValue(number)});
      }
    }
    for (auto [result, map] :
         llvm::zip_equal(op->getResults(), space.resultMaps)) {
      if (!llvm::all_of(result.getUsers(), [&](Operation *user) {
            return llvm::is_contained(stage.ops, user);
          })) {
        writes.push_back({.value = result, .map = map});
      }
    }
  }
  return splitSpace(space, std::move(reads), std::move(writes));
}

} // namespace minic::kernel
