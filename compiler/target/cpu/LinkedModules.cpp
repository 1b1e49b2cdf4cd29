// SPDX-License-Identifier: Apache-2.0
//
// A dictionary of texts by symbol, on the device module.

#include "compiler/target/cpu/LinkedModules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace minic::cpu {

static constexpr StringRef modulesAttrName = "minic.linked_modules";

void addLinkedModule(ModuleOp device, StringRef symbol, StringRef text) {
  NamedAttrList modules(device->getAttrOfType<DictionaryAttr>(modulesAttrName));
  modules.set(symbol, StringAttr::get(device.getContext(), text));
  device->setAttr(modulesAttrName, modules.getDictionary(device.getContext()));
}

LogicalResult linkModules(ModuleOp device, llvm::Module &module) {
  auto modules = device->getAttrOfType<DictionaryAttr>(modulesAttrName);
  if (!modules) {
    return success();
  }
  for (NamedAttribute entry : modules) {
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> linked =
        llvm::parseAssemblyString(cast<StringAttr>(entry.getValue()).getValue(),
                                  problem, module.getContext());
    if (!linked) {
      return device.emitError("internal error: a kernel's IR cannot be read "
                              "again: ")
             << problem.getMessage();
    }
    linked->setTargetTriple(module.getTargetTriple());
    linked->setDataLayout(module.getDataLayout());
    if (llvm::Linker::linkModules(module, std::move(linked))) {
      return device.emitError("internal error: a kernel's IR cannot be linked");
    }
    // An object's code is assembly, to which nothing but a name refers.
    if (llvm::Function *function = module.getFunction(entry.getName());
        function && !function->isDeclaration()) {
      function->setVisibility(llvm::GlobalValue::DefaultVisibility);
      function->setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }
  return success();
}

} // namespace minic::cpu
