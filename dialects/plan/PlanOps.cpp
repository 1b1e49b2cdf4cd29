// SPDX-License-Identifier: Apache-2.0
//
// Verification of the plan ops.

#include "dialects/plan/Plan.h"

#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.cpp.inc"
