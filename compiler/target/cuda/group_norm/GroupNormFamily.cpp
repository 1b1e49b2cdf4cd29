// SPDX-License-Identifier: Apache-2.0
//
// Matching, offering and lowering of group norms of whole pixels.

#include "compiler/target/cuda/group_norm/GroupNormFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/codegen/AnalyzeFusion.h"
#include "compiler/target/cuda/KernelLaunch.h"
#include "compiler/target/cuda/group_norm/EmitGroupNorm.h"

using namespace mlir;

namespace minic::cuda {

static auto analyze(kernel::FusionOp fusion) {
  return analyzeFusion<GroupNormGeometry>(fusion, GroupNormFusion::get,
                                          parseGroupNormSchedule);
}

std::optional<std::string>
GroupNormFamily::reject(kernel::FusionOp fusion,
                        const DeviceProfile &profile) const {
  std::string reason;
  auto norm = GroupNormFusion::get(fusion, &reason);
  if (failed(norm) || enumerateGroupNorms(*norm, profile, &reason).empty()) {
    return reason;
  }
  return std::nullopt;
}

std::vector<Implementation>
GroupNormFamily::enumerate(kernel::FusionOp fusion,
                           const DeviceProfile &profile) const {
  std::string reason;
  auto norm = GroupNormFusion::get(fusion, &reason);
  if (failed(norm)) {
    return {};
  }
  std::vector<Implementation> implementations;
  for (const GroupNormGeometry &one :
       enumerateGroupNorms(*norm, profile, &reason)) {
    implementations.push_back(offerDense(
        fusion, name(), toAttribute(one.schedule, fusion.getContext()),
        toString(one.schedule), one.estimateUs(profile)));
    implementations.back().kind =
        one.keeps() ? "group_norm" : "group_norm again";
  }
  return implementations;
}

LogicalResult GroupNormFamily::lower(kernel::FusionOp fusion,
                                     plan::PlanBuilder &plan) const {
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  auto &[norm, geometry] = *analyzed;
  KernelLaunch launch;
  launch.grid = {geometry.images * geometry.schedule.blocks};
  launch.threads = geometry.threads();
  launch.programmatic = geometry.schedule.programmatic;
  launch.label = getLaunchLabel(name(), fusion);
  launch.workspace.push_back(plan.buffer(geometry.workspaceBytes()));
  plan::KernelOp kernel =
      plan.kernel(fusion, toString(geometry.schedule), /*entries=*/2);
  launch.sharedBytes = geometry.sharedBytes(/*isFirst=*/true);
  addLaunch(plan, fusion, kernel, launch, 0);
  launch.sharedBytes = geometry.sharedBytes(/*isFirst=*/false);
  addLaunch(plan, fusion, kernel, launch, 1);
  return success();
}

LogicalResult GroupNormFamily::emit(plan::KernelOp kernel,
                                    const DeviceProfile &profile,
                                    ModuleOp device) const {
  auto fusion = cast<kernel::FusionOp>(kernel.getBody().front().front());
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  auto &[norm, geometry] = *analyzed;
  if (failed(
          checkProgrammatic(kernel, geometry.schedule.programmatic, profile))) {
    return failure();
  }
  emitGroupNorm(fusion.getLoc(), device, kernel.getEntries(), norm, geometry,
                int64_t(fusion.getInputs().size()));
  return success();
}

} // namespace minic::cuda
