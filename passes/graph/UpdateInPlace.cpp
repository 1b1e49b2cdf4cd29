// SPDX-License-Identifier: Apache-2.0
//
// graph-update-in-place: from results that a model declares to be updates of
// inputs to the ops that write there. It decides nothing about order: readers
// of the old state come first where plan-lower can put them there.

#include "passes/graph/Passes.h"

#include "dialects/graph/InPlace.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace minic::graph {
#define GEN_PASS_DEF_UPDATEINPLACE
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;

namespace {

struct UpdateInPlace : graph::impl::UpdateInPlaceBase<UpdateInPlace> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal() || !func.getBody().hasOneBlock()) {
      return;
    }
    llvm::SmallDenseMap<unsigned, unsigned> resultOf; // by argument
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      Attribute attribute = func.getResultAttr(i, graph::inPlaceAttrName);
      if (!attribute) {
        continue;
      }
      auto argument = checkArgument(func, i, attribute);
      if (failed(argument)) {
        return signalPassFailure();
      }
      auto [entry, isNew] = resultOf.insert({*argument, i});
      if (!isNew) {
        func.emitError("expects one result to update argument ")
            << *argument << " in place, got results " << entry->second
            << " and " << i;
        return signalPassFailure();
      }
      if (failed(markUpdates(func, i, *argument))) {
        return signalPassFailure();
      }
    }
  }

private:
  FailureOr<unsigned> checkArgument(func::FuncOp func, unsigned result,
                                    Attribute attribute) {
    auto index = dyn_cast<IntegerAttr>(attribute);
    if (!index || !index.getType().isInteger(64)) {
      return func.emitError("expects graph.in_place of result ")
             << result << " to be the number of an argument (i64), got "
             << attribute;
    }
    if (index.getInt() < 0 || index.getInt() >= func.getNumArguments()) {
      return func.emitError("expects graph.in_place of result ")
             << result << " to be one of " << func.getNumArguments()
             << " arguments, got " << index.getInt();
    }
    unsigned argument = index.getInt();
    Type expected = func.getArgumentTypes()[argument];
    Type got = func.getResultTypes()[result];
    if (got != expected) {
      return func.emitError("expects result ")
             << result << ", which updates argument " << argument
             << " in place, to be " << expected << ", got " << got;
    }
    return argument;
  }

  /// All ops between the argument and the result.
  LogicalResult markUpdates(func::FuncOp func, unsigned result,
                            unsigned argument) {
    Value value = func.getBody().front().getTerminator()->getOperand(result);
    value = graph::skipReshapes(value);
    bool isUpdated = false;
    while (auto update = value.getDefiningOp<graph::CacheUpdateOp>()) {
      update->setAttr(graph::inPlaceAttrName, UnitAttr::get(&getContext()));
      value = graph::skipReshapes(update.getCache());
      isUpdated = true;
      ++updates;
    }
    if (value == func.getArgument(argument) && isUpdated) {
      return success();
    }
    InFlightDiagnostic error = func.emitError("expects result ")
                               << result << " to come from argument "
                               << argument << " by graph.cache_update, got ";
    if (Operation *op = value.getDefiningOp()) {
      return error << op->getName();
    }
    unsigned other = cast<BlockArgument>(value).getArgNumber();
    return other == argument ? error << "the argument itself"
                             : error << "argument " << other;
  }
};

} // namespace
