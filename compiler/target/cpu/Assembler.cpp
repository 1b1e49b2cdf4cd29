// SPDX-License-Identifier: Apache-2.0
//
// Code generation in process. LLVM's middle end is left out: the generators
// write what it would make of their loops, and it would take a third of the
// time of a build.

#include "compiler/target/cpu/Assembler.h"

#include "compiler/target/CountCode.h"
#include "compiler/target/cpu/LinkSharedObject.h"
#include "compiler/target/cpu/LinkedModules.h"
#include "compiler/target/cpu/LowerToLlvm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

using namespace mlir;

namespace minic::cpu {

void prepareContext(MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                      LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                      ub::UBDialect, vector::VectorDialect>();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const DeviceProfile &profile) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser(); // kernels that bring assembly, or an object
  });
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, profile.cpu, llvm::join(profile.features, ","),
      llvm::TargetOptions(), llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Default));
}

/// `device`, lowered, as LLVM IR with the attributes that the code needs; null
/// with a diagnostic.
static std::unique_ptr<llvm::Module> translate(ModuleOp device,
                                               const DeviceProfile &profile,
                                               llvm::TargetMachine *machine,
                                               llvm::LLVMContext &context) {
  prepareContext(*device.getContext());
  if (failed(lowerToLlvm(device, profile))) {
    return nullptr;
  }
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(device, context, "kernels");
  if (!module || !machine) {
    device.emitError("internal error: translation to LLVM IR failed");
    return nullptr;
  }
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : *module) {
    if (function.isDeclaration()) {
      continue;
    }
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("tune-cpu",
                       profile.tuneCpu.empty() ? profile.cpu : profile.tuneCpu);
    // v4 is tuned for 256 bits by default.
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("min-legal-vector-width", "512");
  }
  // Users' kernels have the attributes that they were compiled with.
  if (failed(linkModules(device, *module))) {
    return nullptr;
  }
  return module;
}

/// Code of `module`, which is consumed.
static FailureOr<SmallVector<char, 0>> emitCode(llvm::Module &module,
                                                llvm::TargetMachine &machine,
                                                llvm::CodeGenFileType kind,
                                                ModuleOp forDiagnostics) {
  SmallVector<char, 0> output;
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind)) {
    return forDiagnostics.emitError(
        "internal error: LLVM cannot emit x86-64 code");
  }
  passes.run(module);
  return output;
}

static FailureOr<SmallVector<char, 0>> compile(ModuleOp device,
                                               const DeviceProfile &profile,
                                               llvm::CodeGenFileType kind) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(profile);
  std::unique_ptr<llvm::Module> module =
      translate(device, profile, machine.get(), context);
  if (!module) {
    return failure();
  }
  return emitCode(*module, *machine, kind, device);
}

FailureOr<std::string> assemble(ModuleOp device, const DeviceProfile &profile) {
  FailureOr<SmallVector<char, 0>> object =
      compile(device, profile, llvm::CodeGenFileType::ObjectFile);
  if (failed(object)) {
    return failure();
  }
  llvm::Expected<std::string> linked =
      linkSharedObject(StringRef(object->data(), object->size()));
  if (!linked) {
    return device.emitError() << llvm::toString(linked.takeError());
  }
  return std::move(*linked);
}

std::string findImport(const llvm::Module &module,
                       const DeviceProfile &profile) {
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(profile);
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  copy->setTargetTriple(machine->getTargetTriple());
  copy->setDataLayout(machine->createDataLayout());
  SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile)) {
    return "";
  }
  passes.run(*copy);
  llvm::StringRef bytes(object.data(), object.size());
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(bytes, "kernel"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return "";
  }
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      continue;
    }
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty() &&
        *name != "_GLOBAL_OFFSET_TABLE_") {
      return name->str();
    }
  }
  return "";
}

FailureOr<std::string> assembleToText(ModuleOp device,
                                      const DeviceProfile &profile) {
  FailureOr<SmallVector<char, 0>> text =
      compile(device, profile, llvm::CodeGenFileType::AssemblyFile);
  if (failed(text)) {
    return failure();
  }
  return std::string(text->data(), text->size());
}

LogicalResult describeCode(ModuleOp device, const DeviceProfile &profile,
                           KernelCode &code) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(profile);
  std::unique_ptr<llvm::Module> module =
      translate(device, profile, machine.get(), context);
  if (!module) {
    return failure();
  }
  llvm::raw_string_ostream(code.llvmIr) << *module;
  auto object = emitCode(*llvm::CloneModule(*module), *machine,
                         llvm::CodeGenFileType::ObjectFile, device);
  // Comments say what is spilled.
  machine->Options.MCOptions.AsmVerbose = true;
  auto text =
      emitCode(*module, *machine, llvm::CodeGenFileType::AssemblyFile, device);
  if (failed(object) || failed(text)) {
    return failure();
  }
  code.assembly.assign(text->data(), text->size());
  code.assemblyKind = "s";
  code.codeBytes =
      countCodeBytes(StringRef(object->data(), object->size()), code.entry);
  countAssembly(code);
  return success();
}

} // namespace minic::cpu
