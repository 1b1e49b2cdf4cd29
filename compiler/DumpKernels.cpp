// SPDX-License-Identifier: Apache-2.0
//
// One file per op.

#include "compiler/DumpKernels.h"

#include "dialects/graph/ConstantBytes.h"
#include "dialects/plan/Plan.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

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
