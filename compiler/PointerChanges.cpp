// SPDX-License-Identifier: Apache-2.0
//
// The runtime patches the nodes of launches, copies and fills; those of library
// calls are opaque to it (runtime/device/cuda/CapturedGraph).

#include "compiler/PointerChanges.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

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

std::string describePointerChanges(plan::VariantOp variant) {
  if (!variant.getGraphAttr() ||
      variant.getGraphAttr().getReplay() == plan::Replay::Never) {
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
    text = "patched: " + llvm::join(patched, ", ");
  }
  if (!opaque.empty()) {
    text += (text.empty() ? "" : "; ") +
            ("copied, or updated to when they come again: " +
             llvm::join(opaque, ", "));
  }
  return text;
}

} // namespace minic
