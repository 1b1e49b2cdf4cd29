// SPDX-License-Identifier: Apache-2.0
//
// A dictionary of kernels on the device module.

#include "compiler/target/cuda/UserModules.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace minic::cuda {

static constexpr StringRef modulesAttrName = "minic.user_modules";

void addUserModule(ModuleOp device, const UserModule &module) {
  Builder b(device.getContext());
  NamedAttrList modules(device->getAttrOfType<DictionaryAttr>(modulesAttrName));
  modules.set(module.launched, b.getArrayAttr({b.getStringAttr(module.entry),
                                               b.getStringAttr(module.code),
                                               b.getBoolAttr(module.isCubin),
                                               b.getStringAttr(module.owner)}));
  device->setAttr(modulesAttrName, modules.getDictionary(device.getContext()));
}

std::vector<UserModule> getUserModules(ModuleOp device) {
  std::vector<UserModule> modules;
  auto known = device->getAttrOfType<DictionaryAttr>(modulesAttrName);
  for (NamedAttribute entry :
       known ? known.getValue() : ArrayRef<NamedAttribute>()) {
    auto parts = cast<ArrayAttr>(entry.getValue());
    modules.push_back({entry.getName().str(), cast<StringAttr>(parts[0]).str(),
                       cast<StringAttr>(parts[1]).str(),
                       cast<BoolAttr>(parts[2]).getValue(),
                       cast<StringAttr>(parts[3]).str()});
  }
  return modules;
}

} // namespace minic::cuda
