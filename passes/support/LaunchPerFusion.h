// SPDX-License-Identifier: Apache-2.0
//
// LaunchPerFusion: a FusionLowering without a target, for tests of passes.

#ifndef MINIC_PASSES_SUPPORT_LAUNCHPERFUSION_H
#define MINIC_PASSES_SUPPORT_LAUNCHPERFUSION_H

#include "dialects/plan/FusionLowering.h"

namespace minic {

/// One launch with a grid of one tile for each fusion or relayout, named by its
/// ops. A fusion whose impl's schedule has `scratch_bytes` gets that much per
/// thread.
class LaunchPerFusion : public plan::FusionLowering {
public:
  mlir::LogicalResult lower(mlir::Operation *op,
                            plan::PlanBuilder &plan) override;
};

} // namespace minic

#endif // MINIC_PASSES_SUPPORT_LAUNCHPERFUSION_H
