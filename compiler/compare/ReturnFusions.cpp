// SPDX-License-Identifier: Apache-2.0
//
// Appends to the terminators and signatures.

#include "compiler/compare/ReturnFusions.h"

#include "compiler/import/FunctionInputs.h"
#include "dialects/kernel/InPlace.h"

#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;

namespace minic {

/// Updates of state share its memory: what one leaves there is gone with the
/// next, and is no result.
static bool isUpdate(OpResult result) {
  return kernel::getUpdatedInput(cast<kernel::FusionOp>(result.getOwner()),
                                 result.getResultNumber())
      .has_value();
}

static void returnFusions(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  std::set<std::string> names;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    names.insert(resultName(function, i));
  }
  llvm::SmallSetVector<Value, 16> values;
  values.insert_range(terminator->getOperands());
  SmallVector<std::pair<Value, std::string>> added;
  unsigned number = 0;
  for (auto fusion : function.getOps<kernel::FusionOp>()) {
    for (OpResult result : fusion->getResults()) {
      if (isUpdate(result) || !values.insert(result)) {
        continue;
      }
      std::string name = "fusion" + std::to_string(number);
      if (fusion->getNumResults() > 1) {
        name += "." + std::to_string(result.getResultNumber());
      }
      while (!names.insert(name).second) {
        name += "'";
      }
      added.emplace_back(result, name);
    }
    ++number;
  }
  SmallVector<Type> types(function.getResultTypes());
  SmallVector<DictionaryAttr> attributes;
  for (unsigned i = 0; i < types.size(); ++i) {
    attributes.push_back(function.getResultAttrDict(i));
  }
  Builder builder(function.getContext());
  for (auto &[value, name] : added) {
    terminator->insertOperands(terminator->getNumOperands(), value);
    types.push_back(value.getType());
    attributes.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr("graph.name", builder.getStringAttr(name))));
  }
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), types));
  function.setAllResultAttrs(attributes);
}

void returnFusions(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    returnFusions(function);
  }
}

} // namespace minic
