// SPDX-License-Identifier: Apache-2.0
//
// minic's passes, and the two of MLIR that pipelines use.

#include "passes/RegisterPasses.h"

#include "dialects/plan/Plan.h"
#include "passes/graph/Passes.h"
#include "passes/kernel/Passes.h"
#include "passes/plan/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/Passes.h"

void minic::registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  graph::registerGraphPasses();
  kernel::registerKernelPasses();
  plan::registerPlanPasses();
}
