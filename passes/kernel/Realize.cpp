// SPDX-License-Identifier: Apache-2.0
//
// kernel-realize: applies choices. Ops that one expands give way to their
// stages. Each part becomes its own fusion, in an
// order in which their values are there; layouts that a part asks for become
// relayouts of its operands. A choice that does not fit its fusion is an error.

#include "passes/kernel/Passes.h"

#include "dialects/kernel/ExpandOps.h"
#include "dialects/kernel/OutlinePart.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "kernel-realize"

namespace minic::kernel {
#define GEN_PASS_DEF_REALIZE
#include "passes/kernel/Passes.h.inc"
} // namespace minic::kernel

using namespace mlir;
using namespace minic;
using namespace minic::kernel;

namespace {

struct Realize : kernel::impl::RealizeBase<Realize> {
  void runOnOperation() override {
    relayouts.clear();
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp fusion) {
      if (!fusion.getImpl()) {
        fusions.push_back(fusion);
      }
    });
    for (FusionOp fusion : fusions) {
      if (failed(realize(fusion))) {
        return signalPassFailure();
      }
    }
  }

private:
  LogicalResult realize(FusionOp fusion) {
    ChoiceAttr choice = fusion.getChoiceAttr();
    if (!choice) {
      return fusion.emitOpError("expects a choice, got none");
    }
    fusion = expandOps(fusion, choice.getExpand());
    IRMapping values;
    values.map(fusion.getBody().getArguments(), fusion.getInputs());
    SmallVector<PartAttr> waiting(choice.getParts());
    while (!waiting.empty()) {
      SmallVector<PartAttr> next;
      for (PartAttr part : waiting) {
        OutlinedPart outlined = outlinePart(fusion, part.getOps());
        if (!llvm::all_of(outlined.fusion->getInputs(), [&](Value input) {
              return values.contains(input);
            })) {
          next.push_back(part);
        } else if (failed(insert(fusion, part, std::move(outlined), values))) {
          return failure();
        }
      }
      if (next.size() == waiting.size()) {
        return fusion.emitOpError(
            "expects parts that can be run one after another, got a cycle");
      }
      waiting = std::move(next);
    }
    for (auto [result, yielded] :
         llvm::zip_equal(fusion.getResults(), fusion.getYield().getValues())) {
      result.replaceAllUsesWith(values.lookup(yielded));
    }
    fusion.erase();
    return success();
  }

  LogicalResult insert(FusionOp fusion, PartAttr part, OutlinedPart outlined,
                       IRMapping &values) {
    ArrayAttr layouts = part.getOperands();
    FusionOp op = *outlined.fusion;
    if (layouts.size() != op.getInputs().size()) {
      return fusion.emitOpError("expects a layout for each of the ")
             << op.getInputs().size() << " operands of a part, got "
             << layouts.size();
    }
    OpBuilder builder(fusion);
    for (auto [index, layout] : llvm::enumerate(layouts)) {
      Value input = values.lookup(op.getInputs()[index]);
      if (!isa<UnitAttr, LayoutAttr>(layout)) {
        return fusion.emitOpError("expects operand layouts that are unit or "
                                  "#kernel.layout, got ")
               << layout;
      }
      auto type = withoutLayout(cast<RankedTensorType>(input.getType()));
      if (auto encoding = dyn_cast<LayoutAttr>(layout)) {
        auto checked = RankedTensorType::getChecked(
            [&] { return fusion.emitOpError(); }, type.getShape(),
            type.getElementType(), encoding);
        if (!checked) {
          return failure();
        }
        type = checked;
      }
      op->setOperand(index, relayout(builder, fusion.getLoc(), input, type));
    }
    op.setImplAttr(part.getImplementation());
    op->setDiscardableAttrs(llvm::to_vector(fusion->getDiscardableAttrs()));
    LDBG() << "part " << part << " of " << fusion.getLoc();
    builder.insert(outlined.fusion.release());
    for (auto [value, result] :
         llvm::zip_equal(outlined.results, op.getResults())) {
      values.map(value, result);
    }
    return success();
  }

  /// `input` as `type`; one relayout per value and layout.
  Value relayout(OpBuilder &builder, Location loc, Value input,
                 RankedTensorType type) {
    if (input.getType() == type) {
      return input;
    }
    Value &existing = relayouts[{input, type}];
    if (!existing) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(input);
      existing = RelayoutOp::create(builder, loc, type, input);
    }
    return existing;
  }

  llvm::DenseMap<std::pair<Value, Type>, Value> relayouts;
};

} // namespace
