// SPDX-License-Identifier: Apache-2.0
//
// One file per op.

#include "compiler/explain/DumpKernels.h"

#include "dialects/graph/ConstantBytes.h"
#include "dialects/plan/Plan.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <nlohmann/json.hpp>

using namespace mlir;

namespace minic {

/// Writes one file; `print` gets its stream.
static LogicalResult
write(Operation *op, StringRef folder, const Twine &name,
      llvm::function_ref<void(llvm::raw_ostream &)> print) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  std::error_code error = llvm::sys::fs::create_directories(folder);
  if (!error) {
    llvm::raw_fd_ostream os(path, error);
    if (!error) {
      print(os);
      os.flush();
      error = os.error();
      os.clear_error();
    }
  }
  if (error) {
    return emitError(UnknownLoc::get(op->getContext()))
           << "cannot write '" << path.str() << "': " << error.message();
  }
  return success();
}

LogicalResult dumpKernels(ModuleOp plan, const std::string &folder) {
  for (auto kernel : plan.getOps<plan::KernelOp>()) {
    if (failed(write(kernel, folder, kernel.getSymName() + ".mlir",
                     [&](llvm::raw_ostream &os) { os << *kernel << '\n'; }))) {
      return failure();
    }
  }
  return success();
}

static std::string figuresOf(const KernelCode &code) {
  auto known = [](int64_t count) {
    return count < 0 ? nlohmann::ordered_json(nullptr)
                     : nlohmann::ordered_json(count);
  };
  nlohmann::ordered_json json = {{"kernel", code.entry},
                                 {"arch", code.arch},
                                 {"code_bytes", known(code.codeBytes)},
                                 {"instructions", known(code.instructions)},
                                 {"registers", known(code.registers)},
                                 {"spill_bytes", known(code.spillBytes)},
                                 {"shared_bytes", known(code.sharedBytes)}};
  return json.dump(1) + "\n";
}

LogicalResult dumpCode(ModuleOp plan, ArrayRef<KernelCode> report,
                       const std::string &folder) {
  for (const KernelCode &code : report) {
    std::string stem = code.entry + "-" + code.arch + ".";
    std::string figures = figuresOf(code);
    for (auto [extension, text] :
         {std::pair<StringRef, StringRef>("device.mlir", code.deviceIr),
          {"ll", code.llvmIr},
          {code.assemblyKind, code.assembly},
          {"json", figures}}) {
      if (failed(write(plan, folder, stem + extension,
                       [&](llvm::raw_ostream &os) { os << text; }))) {
        return failure();
      }
    }
  }
  return success();
}

void addLaunchedMemory(ModuleOp plan, std::vector<KernelCode> &report) {
  llvm::StringMap<int64_t> bytes;
  plan.walk([&](plan::LaunchOp launch) {
    int64_t &most = bytes[launch.getEntry()];
    most = std::max(most, int64_t(launch.getSharedBytes()));
  });
  for (KernelCode &code : report) {
    if (code.assemblyKind == "ptx") {
      code.sharedBytes =
          std::max<int64_t>(code.sharedBytes, 0) + bytes.lookup(code.entry);
    }
  }
}

std::string describe(const KernelCode &code) {
  std::string text = code.entry + " (" + code.arch + ")";
  const char *separator = ": ";
  for (auto [count, what] : {std::pair(code.codeBytes, " bytes of code"),
                             {code.instructions, " instructions"},
                             {code.registers, " registers"},
                             {code.spillBytes, " bytes spilled"},
                             {code.sharedBytes, " bytes of shared memory"}}) {
    if (count >= 0) {
      text += separator + std::to_string(count) + what;
      separator = ", ";
    }
  }
  return text;
}

LogicalResult dumpBinaries(ModuleOp plan, const std::string &folder) {
  for (auto binary : plan.getOps<plan::BinaryOp>()) {
    StringRef extension =
        binary.getKind() == "elf_shared_object" ? "so" : binary.getKind();
    FailureOr<graph::ConstantBytes> bytes =
        graph::ConstantBytes::get(binary.getData());
    if (failed(bytes) || failed(write(binary, folder,
                                      binary.getSymName() + "-" +
                                          binary.getArch() + "." + extension,
                                      [&](llvm::raw_ostream &os) {
                                        os.write(bytes->bytes().data(),
                                                 bytes->bytes().size());
                                      }))) {
      return failure();
    }
  }
  return success();
}

} // namespace minic
