// SPDX-License-Identifier: Apache-2.0
//
// Strips a copy of the graph and serializes it.

#include "compiler/emit/ModelBytecode.h"

#include "dialects/graph/KernelOp.h"

#include "mlir/Bytecode/BytecodeWriter.h"

using namespace mlir;

namespace minic {

FailureOr<std::string> writeModelBytecode(ModuleOp graph) {
  OwningOpRef<ModuleOp> copy = graph.clone();
  Location unknown = UnknownLoc::get(graph.getContext());
  // What a kernel of the user's computes is all that is asked of it: its source
  // stays with the user.
  SmallVector<graph::KernelOp> kernels;
  copy->walk([&](graph::KernelOp op) { kernels.push_back(op); });
  llvm::for_each(kernels, graph::inlineKernel);
  copy->walk([&](Operation *op) {
    op->setLoc(unknown);
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments()) {
          argument.setLoc(unknown);
        }
      }
    }
    if (auto constant = dyn_cast<graph::ConstantOp>(op);
        constant && constant.getSource()) {
      constant.removeValueAttr();
    }
  });
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (failed(
          writeBytecodeToFile(*copy, stream, BytecodeWriterConfig("minic")))) {
    return failure();
  }
  return bytes;
}

} // namespace minic
