// SPDX-License-Identifier: Apache-2.0
//
// Passes on the plan dialect; Passes.td says what each does.

#ifndef MINIC_PASSES_PLAN_PASSES_H
#define MINIC_PASSES_PLAN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace minic::plan {

class FusionLowering;

#define GEN_PASS_DECL
#include "passes/plan/Passes.h.inc"

/// Like createLowerToPlan(options); asks `lowering`, which outlives the pass,
/// for the commands of each fusion.
std::unique_ptr<mlir::Pass> createLowerToPlan(FusionLowering &lowering,
                                              LowerToPlanOptions options);

#define GEN_PASS_REGISTRATION
#include "passes/plan/Passes.h.inc"

} // namespace minic::plan

#endif // MINIC_PASSES_PLAN_PASSES_H
