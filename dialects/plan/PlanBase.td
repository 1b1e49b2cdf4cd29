// SPDX-License-Identifier: Apache-2.0
//
// The plan dialect itself and its address type.

#ifndef MINIC_DIALECTS_PLAN_PLANBASE
#define MINIC_DIALECTS_PLAN_PLANBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::minic::plan";
  let summary = "When and where: the host program of a model";
  let description = [{
    One op per table of runtime/format/plan.fbs; `emit` translates and decides
    nothing. See docs/rationale/plan.md.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::minic::kernel::KernelDialect"];
}

def Plan_AddressType : TypeDef<Plan_Dialect, "Address"> {
  let mnemonic = "address";
  let summary = "A base (constant, arena, input, output) and a byte offset";
}

class Plan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Plan_Dialect, mnemonic, traits>;

#endif // MINIC_DIALECTS_PLAN_PLANBASE
