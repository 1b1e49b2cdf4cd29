// SPDX-License-Identifier: Apache-2.0
//
// What minic cannot take is found here, before anything is linked.

#include "compiler/target/cpu/user/UserModule.h"

#include "compiler/target/cpu/Assembler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

namespace minic::cpu {

using llvm::StringRef;
using llvm::Twine;

static llvm::Error checkEntry(const llvm::Module &module, StringRef entry,
                              const EntryParameters &parameters) {
  const auto &[pointers, integers, pointersText] = parameters;
  const llvm::Function *function = module.getFunction(entry);
  if (!function || function->isDeclaration()) {
    std::string defined;
    for (const llvm::Function &each : module) {
      if (!each.isDeclaration() && !each.hasLocalLinkage()) {
        defined += (defined.empty() ? "" : ", ") + each.getName().str();
      }
    }
    return llvm::createStringError("has no function '" + entry +
                                   "'; there is " +
                                   (defined.empty() ? "none" : defined));
  }
  auto types = function->getFunctionType()->params();
  auto isPointer = [](llvm::Type *type) { return type->isPointerTy(); };
  auto isI64 = [](llvm::Type *type) { return type->isIntegerTy(64); };
  bool fits = !function->isVarArg() && function->getReturnType()->isVoidTy() &&
              types.size() == pointers + integers &&
              llvm::all_of(types.take_front(pointers), isPointer) &&
              llvm::all_of(types.drop_front(pointers), isI64);
  if (fits) {
    return llvm::Error::success();
  }
  std::string text;
  llvm::raw_string_ostream(text) << *function->getFunctionType();
  return llvm::createStringError(
      "expected '" + entry + "' to return void and to take " + Twine(pointers) +
      " pointers (" + pointersText + "), then " + Twine(integers) +
      " int64_t (its scalars, then begin and end), got " + text);
}

/// Linux may refuse AMX's tiles to a process. Kernels of minic's have another
/// form for that case; one that comes as it is has none.
static llvm::Error checkUsesNoTiles(const llvm::Module &module) {
  for (const llvm::Function &function : module) {
    StringRef name = function.getName();
    if (name.consume_front("llvm.x86.") &&
        (name.starts_with("tile") || name.starts_with("tdp") ||
         name.starts_with("ldtilecfg") || name.starts_with("tcmm"))) {
      return llvm::createStringError(
          "uses the tiles of AMX ('" + function.getName() +
          "'), which Linux may refuse to a process: a kernel of your own has "
          "no other form then");
    }
  }
  return llvm::Error::success();
}

/// Nothing from outside, and nothing that stays from call to call.
static llvm::Error checkSelfContained(const llvm::Module &module,
                                      const DeviceProfile &profile) {
  for (const llvm::GlobalVariable &variable : module.globals()) {
    if (variable.getName().starts_with("llvm.")) {
      if (variable.getName() == "llvm.used" ||
          variable.getName() == "llvm.compiler.used") {
        continue;
      }
      return llvm::createStringError("has constructors or destructors");
    }
    if (variable.isDeclaration()) {
      return llvm::createStringError("imports '" + variable.getName() + "'");
    }
    if (!variable.isConstant()) {
      return llvm::createStringError("has the variable '" + variable.getName() +
                                     "': a kernel keeps nothing between calls");
    }
  }
  if (!module.alias_empty() || !module.ifunc_empty()) {
    return llvm::createStringError("has aliases");
  }
  if (!module.getModuleInlineAsm().empty()) {
    return llvm::createStringError("has assembly outside of functions");
  }
  // In its code, not in its IR: some intrinsics are calls in the end.
  if (std::string symbol = findImport(module, profile); !symbol.empty()) {
    return llvm::createStringError(
        "imports '" + symbol + "': a kernel has to bring all that it calls");
  }
  return llvm::Error::success();
}

llvm::Expected<UserModule> makeUserModule(StringRef ir, StringRef name,
                                          StringRef entry,
                                          const EntryParameters &parameters,
                                          const DeviceProfile &profile) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(ir, problem, context);
  if (!module) {
    return llvm::createStringError(name + ":" + Twine(problem.getLineNo()) +
                                   ":" + Twine(problem.getColumnNo() + 1) +
                                   ": " + problem.getMessage());
  }
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (llvm::verifyModule(*module, &stream)) {
    return llvm::createStringError(name + ": " +
                                   StringRef(broken).split('\n').first);
  }
  if (llvm::Error error = checkEntry(*module, entry, parameters)) {
    return error;
  }
  if (llvm::Error error = checkUsesNoTiles(*module)) {
    return error;
  }
  if (llvm::Error error = checkSelfContained(*module, profile)) {
    return error;
  }
  llvm::StripDebugInfo(*module);
  UserModule result;
  // One source may have several entries.
  std::string identity = (entry + "\n" + ir).str();
  result.symbol =
      "user_" + llvm::utohexstr(llvm::xxh3_64bits(identity), true, 16);
  for (llvm::GlobalObject &object : module->global_objects()) {
    if (!object.isDeclaration()) {
      object.setComdat(nullptr);
      object.setVisibility(llvm::GlobalValue::DefaultVisibility);
      object.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }
  llvm::Function *function = module->getFunction(entry);
  // Linking gives the wrapper's declaration this body.
  function->setLinkage(llvm::GlobalValue::ExternalLinkage);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  function->setName(result.symbol);
  // Another module has flags of its own.
  if (llvm::NamedMDNode *flags = module->getModuleFlagsMetadata()) {
    module->eraseNamedMetadata(flags);
  }
  llvm::raw_string_ostream(result.text) << *module;
  return result;
}

} // namespace minic::cpu
