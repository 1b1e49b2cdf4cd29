// SPDX-License-Identifier: Apache-2.0
//
// The runtime patches the nodes of launches, copies and fills; those of library
// calls are opaque to it (runtime/device/cuda/CapturedGraph).

#include "compiler/driver/PointerChanges.h"

#include "compiler/tune/model/ShipRule.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic {

/// The name of the caller's tensor that `address` lies in; empty for none.
static StringRef callersTensor(Value address, plan::FunctionOp function) {
  Operation *op = address.getDefiningOp();
  while (auto view = dyn_cast_or_null<plan::ViewOp>(op)) {
    op = view.getBase().getDefiningOp();
  }
  Attribute spec;
  if (auto input = dyn_cast_or_null<plan::InputOp>(op)) {
    spec = function.getInputs()[input.getIndex()];
  } else if (auto output = dyn_cast_or_null<plan::OutputOp>(op)) {
    spec = function.getOutputs()[output.getIndex()];
  } else {
    return {};
  }
  return cast<plan::TensorSpecAttr>(spec).getName().getValue();
}

static std::string nameOf(plan::VariantOp variant) {
  return cast<plan::FunctionOp>(variant->getParentOp()).getSymName().str();
}

static bool replays(plan::VariantOp variant) {
  return variant.getGraphAttr() &&
         variant.getGraphAttr().getReplay() != plan::Replay::Never;
}

/// None where it was not measured.
static plan::PointerChangesAttr toAttribute(const ModelVerdict &verdict,
                                            MLIRContext *context) {
  if (!verdict.pointers || verdict.pointers->isRefused()) {
    return {};
  }
  auto figuresOf = [](const tune::Verdict &verdict) {
    return tune::Figures{verdict.backToBack, verdict.call};
  };
  tune::Figures changed = figuresOf(*verdict.pointers), update;
  bool canUpdate = verdict.update && !verdict.update->isRefused();
  if (canUpdate) {
    update = figuresOf(*verdict.update);
  }
  tune::PointerChoice choice =
      tune::choosePointers(changed, canUpdate ? &update : nullptr);
  Builder b(context);
  return plan::PointerChangesAttr::get(
      context, choice.stages, choice.runsBeforeUpdate,
      b.getF64FloatAttr(changed.backToBack.tunedUs),
      b.getF64FloatAttr(changed.backToBack.defaultUs),
      b.getF64FloatAttr(changed.call.tunedUs),
      b.getF64FloatAttr(changed.call.defaultUs),
      b.getF64FloatAttr(choice.updateUs));
}

void setPointerChanges(ModuleOp plan, const Verdicts &verdicts) {
  plan.walk([&](plan::VariantOp variant) {
    auto found = verdicts.find(nameOf(variant));
    if (found == verdicts.end() || !replays(variant)) {
      return;
    }
    plan::GraphVerdictAttr graph = variant.getGraphAttr();
    variant.setGraphAttr(plan::GraphVerdictAttr::get(
        plan.getContext(), graph.getReplay(), graph.getGraphUs(),
        graph.getStreamUs(), graph.getGraphCallUs(), graph.getStreamCallUs(),
        graph.getWhenIdleUs(), graph.getWhenIdleCallUs(), graph.getRunUs(),
        toAttribute(found->second, plan.getContext())));
  });
}

/// What happens to tensors that library calls use.
static std::string describe(plan::PointerChangesAttr changes) {
  if (!changes) {
    return "staged, and updated to when they come again (not measured)";
  }
  auto us = [](FloatAttr time) { return time.getValueAsDouble(); };
  double stage = us(changes.getStageUs()), launch = us(changes.getLaunchUs());
  double stageCall = us(changes.getStageCallUs());
  double launchCall = us(changes.getLaunchCallUs());
  std::string text =
      changes.getStage()
          ? llvm::formatv("staged, {0:F1} us a call, launched kernel by kernel "
                          "{1:F1} (back to back {2:F1} and {3:F1})",
                          stageCall, launchCall, stage, launch)
          : llvm::formatv("launched kernel by kernel, {0:F1} us a call, staged "
                          "{1:F1} (back to back {2:F1} and {3:F1})",
                          launchCall, stageCall, launch, stage);
  uint32_t runs = changes.getRunsBeforeUpdate();
  return text +
         (runs == 0
              ? std::string("; never updated")
              : llvm::formatv("; updated after {0} run{1} on the same ones",
                              runs, runs == 1 ? "" : "s"));
}

std::string describePointerChanges(plan::VariantOp variant) {
  if (!replays(variant)) {
    return "";
  }
  auto function = cast<plan::FunctionOp>(variant->getParentOp());
  llvm::SetVector<StringRef> opaque, patched;
  for (bool ofCalls : {true, false}) {
    variant.getRun().walk([&](Operation *op) {
      if (isa<plan::CallOp>(op) != ofCalls || isa<plan::ViewOp>(op)) {
        return;
      }
      for (Value operand : op->getOperands()) {
        StringRef name = callersTensor(operand, function);
        if (!name.empty() && !opaque.contains(name)) {
          (ofCalls ? opaque : patched).insert(name);
        }
      }
    });
  }
  std::string text;
  if (!patched.empty()) {
    text = llvm::join(patched, ", ") + ": patched";
  }
  if (!opaque.empty()) {
    text += (text.empty() ? "" : "\n") + llvm::join(opaque, ", ") + ": " +
            describe(variant.getGraphAttr().getPointerChanges());
  }
  return text;
}

} // namespace minic
