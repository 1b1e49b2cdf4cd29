// SPDX-License-Identifier: Apache-2.0
//
// Symbols first, then the variants that use them.

#include "compiler/driver/MergeVariants.h"

#include "dialects/plan/Plan.h"

using namespace mlir;

namespace minic {

/// With several binaries a launch must say which one it means.
static void nameBinary(ModuleOp plan) {
  auto binaries = plan.getOps<plan::BinaryOp>();
  if (binaries.empty()) {
    return;
  }
  auto symbol = FlatSymbolRefAttr::get((*binaries.begin()).getSymNameAttr());
  plan->walk([&](plan::LaunchOp launch) {
    if (!launch.getBinaryAttr()) {
      launch.setBinaryAttr(symbol);
    }
  });
}

/// A name that `taken` does not have yet.
static StringAttr freshName(StringAttr name, size_t plan, ModuleOp taken) {
  std::string candidate = name.getValue().str();
  while (taken.lookupSymbol(candidate)) {
    candidate += "_v" + std::to_string(plan);
  }
  return StringAttr::get(name.getContext(), candidate);
}

/// Moves constants and binaries of `from` to `to`; returns their new names.
static llvm::DenseMap<StringAttr, FlatSymbolRefAttr>
moveSymbols(ModuleOp from, size_t plan, ModuleOp to) {
  llvm::DenseMap<StringAttr, FlatSymbolRefAttr> renamed;
  Operation *firstFunction = *to.getOps<plan::FunctionOp>().begin();
  for (Operation &op : llvm::make_early_inc_range(*from.getBody())) {
    if (!isa<plan::ConstantOp, plan::BinaryOp>(op)) {
      continue;
    }
    StringAttr name = SymbolTable::getSymbolName(&op);
    auto constant = dyn_cast<plan::ConstantOp>(op);
    auto same = to.lookupSymbol<plan::ConstantOp>(name);
    if (constant && same && same.getType() == constant.getType() &&
        same.getValueAttr() == constant.getValueAttr()) {
      renamed[name] = FlatSymbolRefAttr::get(name);
      continue;
    }
    StringAttr fresh = freshName(name, plan, to);
    renamed[name] = FlatSymbolRefAttr::get(fresh);
    SymbolTable::setSymbolName(&op, fresh);
    op.moveBefore(firstFunction);
  }
  return renamed;
}

OwningOpRef<ModuleOp> mergeVariants(std::vector<OwningOpRef<ModuleOp>> plans) {
  if (plans.size() == 1) {
    return std::move(plans.front());
  }
  for (OwningOpRef<ModuleOp> &plan : plans) {
    nameBinary(*plan);
  }
  OwningOpRef<ModuleOp> result = std::move(plans.front());
  for (size_t i = 1; i < plans.size(); ++i) {
    ModuleOp from = *plans[i];
    auto renamed = moveSymbols(from, i, *result);
    from->walk([&](Operation *op) {
      if (auto address = dyn_cast<plan::ConstantAddressOp>(op)) {
        address.setConstantAttr(
            renamed.lookup(address.getConstantAttr().getAttr()));
      } else if (auto name = op->getAttrOfType<FlatSymbolRefAttr>("binary")) {
        op->setAttr("binary", renamed.lookup(name.getAttr()));
      }
    });
    for (auto function : from.getOps<plan::FunctionOp>()) {
      auto to = result->lookupSymbol<plan::FunctionOp>(function.getSymName());
      Block &block = to.getBody().front();
      block.getOperations().splice(block.end(),
                                   function.getBody().front().getOperations());
    }
  }
  return result;
}

} // namespace minic
