// SPDX-License-Identifier: Apache-2.0
//
// Matching, offering and lowering of bodies that only loops implement.

#include "compiler/target/cuda/loops/LoopsFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/KernelLaunch.h"
#include "compiler/target/cuda/loops/EmitLoops.h"
#include "compiler/target/cuda/loops/ThreadShare.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

using kernel::FusionOp;

std::optional<std::string> LoopsFamily::reject(FusionOp fusion,
                                               const DeviceProfile &) const {
  std::string reason;
  if (failed(MapLoops::get(fusion, reason))) {
    return reason;
  }
  return std::nullopt;
}

std::vector<Implementation>
LoopsFamily::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  std::string reason;
  auto loops = MapLoops::get(fusion, reason);
  double bytes = getTrafficBytes(fusion);
  std::vector<Implementation> implementations;
  for (const LoopsSchedule &schedule : enumerateSchedules(*loops, profile)) {
    implementations.push_back(offerDense(
        fusion, name(), toAttr(schedule, fusion.getContext()),
        toString(schedule), estimateUs(*loops, schedule, bytes, profile)));
  }
  llvm::sort(implementations, [](const auto &a, const auto &b) {
    return std::tie(a.estimateUs, a.name) < std::tie(b.estimateUs, b.name);
  });
  return implementations;
}

/// Where a run of fewer rows computes only these.
static std::optional<RunBound> boundOf(FusionOp fusion, const MapLoops &loops) {
  return RunBound::get(fusion, loops.pointCount());
}

LogicalResult LoopsFamily::lower(FusionOp fusion,
                                 plan::PlanBuilder &plan) const {
  std::string reason;
  auto loops = MapLoops::get(fusion, reason);
  if (failed(loops)) {
    return fusion.emitError("loops cannot implement this: ") << reason;
  }
  auto schedule =
      parseLoopsSchedule(fusion.getImplAttr().getSchedule(), fusion.getLoc());
  if (failed(schedule)) {
    return failure();
  }
  if (loops->pointCount() == 0) {
    return success(); // nothing to write
  }
  KernelLaunch launch;
  launch.grid = {int64_t(
      llvm::divideCeil(loops->pointCount(), schedule->blockElements()))};
  launch.threads = schedule->block;
  launch.programmatic = schedule->programmatic;
  launch.sharedBytes =
      ThreadShare::sharedBytes(schedule->threads, schedule->block);
  if (loops->reportsIndices()) {
    launch.workspace.push_back(plan.statusWord());
  }
  if (auto bound = boundOf(fusion, *loops)) {
    launch.runSize = plan.sizeWord(bound->dim);
  }
  launch.label = getLaunchLabel(name(), fusion);
  if (launch.grid[0] > int64_t(INT32_MAX)) {
    return fusion.emitError("unsupported: a kernel of loops over ")
           << loops->pointCount() << " elements";
  }
  addLaunch(plan, fusion, plan.kernel(fusion, toString(*schedule)), launch);
  return success();
}

LogicalResult LoopsFamily::emit(plan::KernelOp kernel,
                                const DeviceProfile &profile,
                                ModuleOp device) const {
  auto fusion = cast<FusionOp>(kernel.getBody().front().front());
  std::string reason;
  auto loops = MapLoops::get(fusion, reason);
  auto schedule =
      parseLoopsSchedule(fusion.getImplAttr().getSchedule(), fusion.getLoc());
  if (failed(loops) || failed(schedule)) {
    return kernel.emitError("internal error: not a kernel of loops: ")
           << reason;
  }
  if (failed(checkProgrammatic(kernel, schedule->programmatic, profile))) {
    return failure();
  }
  emitLoops(device, kernel.getLoc(),
            cast<StringAttr>(kernel.getEntries()[0]).getValue(), fusion, *loops,
            *schedule, boundOf(fusion, *loops));
  return success();
}

} // namespace minic::cuda
