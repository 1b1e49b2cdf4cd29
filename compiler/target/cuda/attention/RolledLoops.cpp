// SPDX-License-Identifier: Apache-2.0
//
// llvm.loop.unroll.disable, which the backend passes on as .pragma "nounroll".

#include "compiler/target/cuda/attention/RolledLoops.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::cuda {

void keepLoopsRolled(OpBuilder &b, Operation *around) {
  MLIRContext *context = b.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(context, b.getBoolAttr(true), {}, {},
                                          {}, {}, {}, {});
  auto rolled = LLVM::LoopAnnotationAttr::get(
      context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  around->walk(
      [&](scf::ForOp loop) { loop->setAttr("loop_annotation", rolled); });
}

} // namespace minic::cuda
