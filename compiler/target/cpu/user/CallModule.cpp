// SPDX-License-Identifier: Apache-2.0
//
// A declaration, an entry and a call; linking gives the declaration its body.

#include "compiler/target/cpu/user/CallModule.h"

#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/LinkedModules.h"

using namespace mlir;

namespace minic::cpu {

Operation *callModule(plan::KernelOp planned, ModuleOp device,
                      const UserModule &module,
                      const ModuleArguments &arguments) {
  addLinkedModule(device, module.symbol, module.text);
  OpBuilder builder(device.getContext());
  Location loc = planned.getLoc();
  SmallVector<Type> types(arguments.pointers.size(),
                          LLVM::LLVMPointerType::get(builder.getContext()));
  types.append(arguments.scalars.size() + 2, builder.getI64Type());
  if (!device.lookupSymbol(module.symbol)) {
    builder.setInsertionPointToEnd(device.getBody());
    LLVM::LLVMFuncOp::create(
        builder, loc, module.symbol,
        LLVM::LLVMFunctionType::get(
            LLVM::LLVMVoidType::get(builder.getContext()), types));
  }
  KernelEntry entry =
      KernelEntry::create(builder, loc, device,
                          cast<StringAttr>(planned.getEntries()[0]).getValue());
  KernelBuilder k(builder, loc);
  SmallVector<Value> values;
  for (unsigned pointer : arguments.pointers) {
    values.push_back(k.argPointer(entry.args, pointer));
  }
  for (int64_t scalar : arguments.scalars) {
    values.push_back(k.i64(scalar));
  }
  values.append({entry.begin, entry.end});
  LLVM::CallOp::create(builder, loc, TypeRange(), module.symbol, values);
  return entry.function;
}

} // namespace minic::cpu
