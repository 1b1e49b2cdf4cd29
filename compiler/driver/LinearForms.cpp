// SPDX-License-Identifier: Apache-2.0
//
// Forms are compared as text: which linears a form merges is not asked.

#include "compiler/driver/LinearForms.h"

#include "compiler/pipeline/PhaseRunner.h"
#include "dialects/graph/Graph.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace minic {

bool asksForLinearForms(const CompileOptions &options,
                        ArrayRef<VariantTarget> targets) {
  return options.mergeLinears == "auto" && options.wholeModelCheck &&
         options.compileTo >= Phase::SelectAlgorithm &&
         options.candidate.empty() && options.pin.empty() &&
         llvm::any_of(targets, [&](const VariantTarget &variant) {
           return asksTuner(variant, options);
         });
}

/// Whether two products have one left operand. What is not seen yet, because
/// simplify makes two values one, keeps the rule's form.
static bool hasLinearsOfOneInput(ModuleOp module) {
  llvm::DenseSet<Value> inputs;
  return module
      .walk([&](Operation *op) {
        return isa<graph::LinearOp, graph::MatmulOp>(op) &&
                       !inputs.insert(op->getOperand(0)).second
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

std::string textOfForm(ModuleOp form) {
  OwningOpRef<ModuleOp> copy = form.clone();
  copy->walk([](graph::ConstantOp constant) {
    // Folded twice, the same bytes are two resources.
    if (constant.getValueAttr() &&
        !isa<DenseElementsAttr>(constant.getValueAttr())) {
      constant.removeValueAttr();
    }
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  printElided(*copy, os);
  return text;
}

FailureOr<std::vector<LinearForm>>
otherLinearForms(ModuleOp imported, ModuleOp fused,
                 const PipelineInputs &inputs) {
  std::vector<LinearForm> forms;
  if (!hasLinearsOfOneInput(imported)) {
    return forms;
  }
  std::vector<std::string> known = {textOfForm(fused)};
  for (auto [merge, name] :
       {std::pair("always", "all merged"), std::pair("never", "none merged")}) {
    LinearForm form = {name, imported.clone()};
    PipelineInputs own = inputs;
    own.mergeLinears = merge;
    if (failed(runPhase(Phase::Simplify, *form.fused, own)) ||
        failed(runPhase(Phase::Fuse, *form.fused, own))) {
      return failure();
    }
    std::string text = textOfForm(*form.fused);
    if (!llvm::is_contained(known, text)) {
      known.push_back(std::move(text));
      forms.push_back(std::move(form));
    }
  }
  return forms;
}

} // namespace minic
