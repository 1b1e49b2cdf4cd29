// SPDX-License-Identifier: Apache-2.0
//
// The kernel dialect itself.

#ifndef MINIC_DIALECTS_KERNEL_KERNELBASE
#define MINIC_DIALECTS_KERNEL_KERNELBASE

include "mlir/IR/OpBase.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::minic::kernel";
  let summary = "What is decided together, and how it is implemented";
  let description = [{
    One structural op, `kernel.fusion`, groups graph ops that one decision
    covers; attributes say which implementation was chosen. See
    docs/rationale/kernel.md.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
  let dependentDialects = ["::minic::graph::GraphDialect"];
}

#endif // MINIC_DIALECTS_KERNEL_KERNELBASE
