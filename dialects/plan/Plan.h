// SPDX-License-Identifier: Apache-2.0
//
// The plan dialect: when and where. Include this one header.

#ifndef MINIC_DIALECTS_PLAN_PLAN_H
#define MINIC_DIALECTS_PLAN_PLAN_H

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/SymbolTable.h"

#include "dialects/plan/PlanDialect.h.inc"
#include "dialects/plan/PlanEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/plan/PlanAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/plan/PlanTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.h.inc"

#endif // MINIC_DIALECTS_PLAN_PLAN_H
