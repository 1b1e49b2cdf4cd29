// SPDX-License-Identifier: Apache-2.0
//
// A branch that is hardly ever taken, and an atomic store.

#include "compiler/target/codegen/StatusReport.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic {

void emitReport(KernelBuilder &k, Value statusWord, Value isOutside) {
  auto branch = scf::IfOp::create(k.b, k.loc, isOutside,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(branch.thenBlock());
  LLVM::StoreOp::create(k.b, k.loc, k.i32(1), statusWord, /*alignment=*/4,
                        /*isVolatile=*/false, /*isNonTemporal=*/false,
                        /*isInvariantGroup=*/false,
                        LLVM::AtomicOrdering::monotonic);
}

} // namespace minic
