// SPDX-License-Identifier: Apache-2.0
//
// minic-opt: runs minic's passes on MLIR, one by one or as a pipeline.

#include "dialects/RegisterDialects.h"
#include "passes/RegisterPasses.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  minic::registerDialects(registry);
  minic::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "minic's pass driver\n", registry));
}
