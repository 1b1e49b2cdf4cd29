// SPDX-License-Identifier: Apache-2.0
//
// Code generation in process: LLVM's NVPTX backend, then NVIDIA's assembler.
// Of LLVM's middle end only what cleans up address arithmetic is run; the
// generators write their loops as they are to be.

#include "compiler/target/cuda/Assembler.h"

#include "compiler/target/cuda/CudaProfile.h"
#include "compiler/target/cuda/LowerToNvptx.h"
#include "compiler/target/cuda/NvJitLink.h"
#include "compiler/target/cuda/Ptxas.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar.h"

#include <mutex>

using namespace mlir;

namespace minic::cuda {

void prepareContext(MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                      LLVM::LLVMDialect, math::MathDialect, NVVM::NVVMDialect,
                      scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const DeviceProfile &profile) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, profile.cpu, llvmFeatures(profile), llvm::TargetOptions(),
      llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Aggressive));
}

FailureOr<std::string> emitPtx(ModuleOp device, const DeviceProfile &profile,
                               std::string *llvmIr) {
  prepareContext(*device.getContext());
  if (failed(lowerToNvptx(device, profile))) {
    return failure();
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(device, context, "kernels");
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(profile);
  if (!module || !machine) {
    return device.emitError("internal error: translation to LLVM IR failed");
  }
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  if (llvmIr) {
    llvm::raw_string_ostream(*llvmIr) << *module;
  }
  SmallVector<char, 0> output;
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  passes.add(llvm::createEarlyCSEPass());
  passes.add(llvm::createInstructionCombiningPass());
  passes.add(llvm::createCFGSimplificationPass());
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile)) {
    return device.emitError("internal error: LLVM cannot emit PTX");
  }
  passes.run(*module);
  return std::string(output.data(), output.size());
}

//===----------------------------------------------------------------------===//
// PTX to cubin
//===----------------------------------------------------------------------===//

bool hasAssembler() { return NvJitLink::get() || findPtxas(); }

bool assemblerMovesRegisters() { return findPtxas().has_value(); }

/// Kernels whose warps take over registers of others: nvJitLink ignores that,
/// since it assembles code that may be linked to other code, and spills.
static bool wantsPtxas(StringRef ptx) { return ptx.contains("setmaxnreg."); }

std::vector<KernelResources> parseResources(StringRef log) {
  std::vector<KernelResources> kernels;
  // "0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads"
  auto number = [](StringRef line, StringRef unit) {
    size_t at = line.find(unit);
    int value = 0;
    if (at != StringRef::npos) {
      StringRef before = line.take_front(at).rtrim();
      StringRef digits =
          before.drop_front(before.find_last_not_of("0123456789") + 1);
      digits.getAsInteger(10, value);
    }
    return value;
  };
  llvm::StringSet<> serialized;
  StringRef rest = log;
  while (!rest.empty()) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    // "warpgroup.wait is injected ... to allow use of registers defined by GMMA
    // in function 'a'", ahead of all kernels.
    bool isAboutIt = line.contains("wgmma") || line.contains("GMMA");
    if (isAboutIt && line.contains("function '")) {
      serialized.insert(line.rsplit("function '").second.split('\'').first);
    }
    constexpr llvm::StringLiteral kEntry = "Compiling entry function '";
    if (size_t at = line.find(kEntry); at != StringRef::npos) {
      KernelResources kernel;
      kernel.entry =
          line.drop_front(at + kEntry.size()).split('\'').first.str();
      kernels.push_back(kernel);
    } else if (!kernels.empty() && line.starts_with("ptxas")) {
      KernelResources &kernel = kernels.back();
      kernel.stackBytes += number(line, "bytes stack frame");
      kernel.spillBytes += number(line, "bytes spill stores") +
                           number(line, "bytes spill loads");
      kernel.registers += number(line, "registers");
      kernel.sharedBytes += number(line, "bytes smem");
    }
  }
  for (KernelResources &kernel : kernels) {
    kernel.serializesWgmma = serialized.contains(kernel.entry);
  }
  return kernels;
}

/// A hash of all that a cubin depends on.
static std::string keyOf(StringRef ptx, StringRef arch, StringRef assembler) {
  llvm::BLAKE3 hash;
  for (StringRef part : {assembler, arch, ptx}) {
    hash.update(part);
    hash.update(StringRef("", 1));
  }
  return llvm::toHex(hash.final<32>(), /*LowerCase=*/true);
}

std::string firstAssemblerError(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  auto *line = llvm::find_if(lines, [](StringRef line) {
    return line.contains("error") || line.contains("fatal");
  });
  return (line == lines.end() ? text.split('\n').first : *line).trim().str();
}

FailureOr<std::string> assembleCubin(StringRef ptx, StringRef arch,
                                     ModuleOp forDiagnostics,
                                     std::vector<KernelResources> *resources,
                                     BinaryCache *cache, StringRef owner) {
  std::string missing;
  std::string key;
  llvm::Expected<AssembledBinary> cubin = AssembledBinary();
  const NvJitLink *link = NvJitLink::get(&missing);
  std::optional<std::string> ptxas;
  if (!link || wantsPtxas(ptx)) {
    ptxas = findPtxas();
  }
  if (ptxas) {
    cubin = runPtxas(*ptxas, ptx, arch);
  } else if (link) {
    if (cache && !link->identity().empty()) {
      key = keyOf(ptx, arch, link->identity());
    }
    std::optional<AssembledBinary> known;
    if (!key.empty() && (known = cache->find(key))) {
      cubin = *std::move(known);
      key.clear();
    } else {
      cubin = link->assemble(ptx, arch);
    }
  } else {
    return forDiagnostics.emitError("unsupported: nothing assembles PTX here: ")
           << missing
           << ", and no ptxas in CUDA_HOME or PATH; install a CUDA toolkit of "
              "13.0 or newer, or its wheel nvidia-nvjitlink";
  }
  if (!cubin) {
    std::string why = llvm::toString(cubin.takeError());
    if (!owner.empty()) {
      return forDiagnostics.emitError()
             << "unsupported: " << owner
             << " does not assemble: " << firstAssemblerError(why);
    }
    return forDiagnostics.emitError("internal error: the assembler rejects "
                                    "generated PTX: ")
           << why;
  }
  if (!key.empty()) {
    cache->put(key, *cubin);
  }
  if (resources) {
    *resources = parseResources(cubin->log);
  }
  return std::move(cubin->bytes);
}

} // namespace minic::cuda
