// SPDX-License-Identifier: Apache-2.0
//
// Every entry has one signature.

#include "compiler/target/cpu/KernelAbi.h"

using namespace mlir;

namespace minic::cpu {

static LLVM::LLVMFuncOp createFunction(OpBuilder &builder, Location loc,
                                       ModuleOp device, StringRef name,
                                       ArrayRef<Type> arguments,
                                       LLVM::Linkage linkage) {
  builder.setInsertionPointToEnd(device.getBody());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()), arguments);
  auto function =
      LLVM::LLVMFuncOp::create(builder, loc, name, type, linkage,
                               /*dsoLocal=*/linkage == LLVM::Linkage::Internal);
  Block *body = function.addEntryBlock(builder);
  builder.setInsertionPointToEnd(body);
  auto end = LLVM::ReturnOp::create(builder, loc, ValueRange());
  builder.setInsertionPoint(end);
  return function;
}

KernelEntry KernelEntry::create(OpBuilder &builder, Location loc,
                                ModuleOp device, StringRef name) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  LLVM::LLVMFuncOp function =
      createFunction(builder, loc, device, name, {pointer, i64, i64, pointer},
                     LLVM::Linkage::External);
  return {function, function.getArgument(0), function.getArgument(1),
          function.getArgument(2), function.getArgument(3)};
}

std::string withoutAmxName(StringRef entry) {
  return (entry + ".without_amx").str();
}

LLVM::LLVMFuncOp createInternalFunction(OpBuilder &builder, Location loc,
                                        ModuleOp device, StringRef name,
                                        ArrayRef<Type> arguments) {
  LLVM::LLVMFuncOp function = createFunction(
      builder, loc, device, name, arguments, LLVM::Linkage::Internal);
  function.setNoInline(true);
  return function;
}

} // namespace minic::cpu
