// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of pointwise bodies.

#include "compiler/target/cuda/pointwise/PointwiseFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/BodyEvaluator.h"
#include "compiler/target/cuda/KernelLaunch.h"
#include "compiler/target/cuda/pointwise/EmitPointwise.h"
#include "compiler/target/cuda/pointwise/TurnedPoints.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

using kernel::FusionOp;

/// A launch that finds its operands in L2 and little to do.
constexpr double kSmallKernelUs = 2.0;

static SmallVector<Type> resultDtypes(FusionOp fusion) {
  return llvm::map_to_vector(fusion.getResultTypes(), [](Type type) {
    return getElementTypeOrSelf(type);
  });
}

std::optional<std::string>
PointwiseFamily::reject(FusionOp fusion, const DeviceProfile &) const {
  std::string reason;
  if (failed(PointwiseLoops::getWithMoves(fusion, reason))) {
    return reason;
  }
  return std::nullopt;
}

std::vector<Implementation>
PointwiseFamily::enumerate(FusionOp fusion,
                           const DeviceProfile &profile) const {
  std::string reason;
  auto loops = PointwiseLoops::getWithMoves(fusion, reason);
  double bytes = getTrafficBytes(fusion) - loops->bytesLeftOut(fusion);
  // What fits in L2 was just written there; it delivers about twice what
  // memory does. A transposed operand is read in parts of lines.
  double bandwidth = profile.memoryGBs * (bytes < profile.l2Bytes ? 2 : 1);
  double memoryUs = bandwidth > 0 ? bytes / bandwidth * 1e-3 : 0;
  double elements = double(loops->rows()) * double(loops->columns()) *
                    double(loops->elementsPerPoint());
  double instructions =
      double(fusion.getInputs().size() + fusion.getNumResults()) +
      double(BodyEvaluator::instructionCount(fusion.getBodyOps()));
  double computeUs =
      profile.peakGflops > 0
          ? elements * instructions / (profile.peakGflops / 2) * 1e-3
          : 0;
  std::vector<Implementation> implementations;
  for (const PointwiseSchedule &schedule :
       enumerateSchedules(*loops, resultDtypes(fusion), profile)) {
    bool isPartly = loops->isTransposing() && !schedule.turned;
    // The order is the enumeration's.
    double us = kSmallKernelUs +
                std::max(memoryUs * (isPartly ? 2 : 1), computeUs) +
                1e-3 * double(implementations.size());
    implementations.push_back(offerDense(fusion, name(),
                                         toAttr(schedule, fusion.getContext()),
                                         toString(schedule), us));
  }
  return implementations;
}

/// Where a run of fewer rows computes only these: as long as no row ends inside
/// of the pairs of one, and points are taken in order.
static std::optional<RunBound> boundOf(FusionOp fusion,
                                       const PointwiseLoops &loops,
                                       const PointwiseSchedule &schedule) {
  if (schedule.turned) {
    return std::nullopt;
  }
  int64_t points = loops.rows() * loops.columns();
  auto bound = RunBound::get(fusion, points);
  bool splitsPairs = bound && loops.pairsPerRow > 0 &&
                     points / bound->size % loops.pairsPerRow != 0;
  return splitsPairs ? std::nullopt : bound;
}

static LogicalResult checkTurned(Operation *at, FusionOp fusion,
                                 const PointwiseLoops &loops,
                                 const PointwiseSchedule &schedule) {
  bool isWrong =
      schedule.turned &&
      !TurnedPoints::get(loops, resultDtypes(fusion), schedule.vector);
  return isWrong ? at->emitError("pointwise cannot implement this by squares "
                                 "of ")
                       << schedule.vector << " x " << schedule.vector
                 : success();
}

LogicalResult PointwiseFamily::lower(FusionOp fusion,
                                     plan::PlanBuilder &plan) const {
  std::string reason;
  auto loops = PointwiseLoops::getWithMoves(fusion, reason);
  if (failed(loops)) {
    return fusion.emitError("pointwise cannot implement this: ") << reason;
  }
  auto schedule = parsePointwiseSchedule(fusion.getImplAttr().getSchedule(),
                                         fusion.getLoc());
  if (failed(schedule) ||
      failed(checkTurned(fusion, fusion, *loops, *schedule))) {
    return failure();
  }
  int64_t total = loops->rows() * loops->columns();
  if (total == 0) {
    return success(); // nothing to write
  }
  KernelLaunch launch;
  launch.grid = {int64_t(llvm::divideCeil(total, schedule->blockElements()))};
  launch.threads = schedule->threads;
  launch.programmatic = schedule->programmatic;
  launch.label = getLaunchLabel(name(), fusion);
  if (loops->gathers()) {
    launch.workspace.push_back(plan.statusWord());
  }
  if (launch.grid[0] > int64_t(INT32_MAX)) {
    return fusion.emitError("unsupported: a pointwise kernel over ")
           << total << " elements";
  }
  if (auto bound = boundOf(fusion, *loops, *schedule)) {
    launch.runSize = plan.sizeWord(bound->dim);
  }
  addLaunch(plan, fusion, plan.kernel(fusion, toString(*schedule)), launch);
  return success();
}

LogicalResult PointwiseFamily::emit(plan::KernelOp kernel,
                                    const DeviceProfile &profile,
                                    ModuleOp device) const {
  auto fusion = cast<FusionOp>(kernel.getBody().front().front());
  std::string reason;
  auto loops = PointwiseLoops::getWithMoves(fusion, reason);
  auto schedule = parsePointwiseSchedule(fusion.getImplAttr().getSchedule(),
                                         fusion.getLoc());
  if (failed(loops) || failed(schedule)) {
    return kernel.emitError("internal error: not a pointwise kernel: ")
           << reason;
  }
  if (failed(checkTurned(kernel, fusion, *loops, *schedule)) ||
      failed(checkProgrammatic(kernel, schedule->programmatic, profile))) {
    return failure();
  }
  emitPointwise(device, kernel.getLoc(),
                cast<StringAttr>(kernel.getEntries()[0]).getValue(), *loops,
                *schedule, int64_t(fusion.getInputs().size()),
                resultDtypes(fusion), boundOf(fusion, *loops, *schedule));
  return success();
}

} // namespace minic::cuda
