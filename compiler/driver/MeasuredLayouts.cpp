// SPDX-License-Identifier: Apache-2.0
//
// One search for each relayout: there are few, and the choice of the next one
// depends on it.

#include "compiler/driver/MeasuredLayouts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace minic {

kernel::FusionOp MeasuredLayoutCosts::problemOf(Block &block) {
  Location loc = block.getParentOp()->getLoc();
  problems.push_back(ModuleOp::create(loc));
  auto builder = OpBuilder::atBlockEnd(problems.back()->getBody());
  auto function = func::FuncOp::create(
      builder, loc, "relayout",
      builder.getFunctionType(block.getArgumentTypes(),
                              block.back().getResultTypes()));
  Block *entry = function.addEntryBlock();
  IRMapping mapping;
  mapping.map(block.getArguments(), entry->getArguments());
  builder.setInsertionPointToEnd(entry);
  for (Operation &op : block) {
    builder.clone(op, mapping);
  }
  kernel::FusionOp fusion = outline(*entry);
  builder.setInsertionPointToEnd(entry);
  func::ReturnOp::create(builder, loc, fusion.getResults());
  return fusion;
}

std::optional<double> MeasuredLayoutCosts::measuredUs(Block &block) {
  Key key = keyOf(block);
  auto [entry, isNew] = measured.insert({key, std::nullopt});
  if (!isNew || failed_) {
    return entry->second;
  }
  // A replay without the record of a relayout goes by the estimate.
  bool isReplay = inputs.options->tuneReplay;
  ScopedDiagnosticHandler handler(
      block.getParentOp()->getContext(),
      [&](Diagnostic &) { return success(isReplay); });
  FailureOr<std::vector<kernel::SelectedChoice>> choices =
      selector.select(problemOf(block));
  if (failed(choices)) {
    failed_ = !isReplay;
    return std::nullopt;
  }
  if (double us = choices->front().timeUs; us > 0) {
    entry->second = known[key] = us;
  }
  return entry->second;
}

std::unique_ptr<EstimatedLayoutCosts>
createLayoutCosts(const VariantTarget &variant, const CompileOptions &options,
                  tune::Machine &machine, tune::ShippedDb &shipped) {
  if (!asksTuner(variant, options)) {
    return std::make_unique<EstimatedLayoutCosts>(*variant.target, options);
  }
  return std::make_unique<MeasuredLayoutCosts>(
      tune::SelectionInputs{variant.target.get(), variant.isa, &options,
                            &shipped},
      machine);
}

} // namespace minic
