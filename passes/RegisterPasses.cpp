// SPDX-License-Identifier: Apache-2.0

#include "passes/RegisterPasses.h"

#include "mlir/Transforms/Passes.h"

void minic::registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
}
