// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of passes over rows.

#include "compiler/target/cuda/rows/RowsFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/KernelLaunch.h"
#include "compiler/target/cuda/rows/EmitRows.h"
#include "compiler/target/cuda/rows/RowReduction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

using kernel::FusionOp;

/// A launch that finds its operands in L2 and little to do.
constexpr double kSmallKernelUs = 2.0;

bool RowsFamily::isFor(Operation *anchor) const {
  return anchor && !graph::isContraction(anchor) &&
         !graph::isConvolution(anchor) &&
         isa<graph::ReductionOpInterface, graph::ExpandableOpInterface>(anchor);
}

std::optional<std::string> RowsFamily::reject(FusionOp fusion,
                                              const DeviceProfile &) const {
  std::string reason;
  auto rows = RowFusion::get(fusion, reason);
  if (failed(rows)) {
    return reason;
  }
  if (rows->rows() > INT32_MAX || rows->columns() > INT32_MAX / 2) {
    return "more rows or columns than 32 bits number";
  }
  return std::nullopt;
}

/// From memory, or from L2 where it was just written; rows that are not kept
/// come mostly from L1 again.
static double estimateMemoryUs(FusionOp fusion, const RowFusion &rows,
                               const RowSchedule &schedule,
                               const DeviceProfile &profile) {
  double bytes = getTrafficBytes(fusion);
  bool isStrided = llvm::any_of(rows.reads, [](const RowFusion::Read &read) {
    return read.strides.back() > 1;
  });
  double bandwidth = profile.memoryGBs * (bytes < profile.l2Bytes ? 2 : 1);
  double again = schedule.keeps ? 1 : 1 + 0.3 * double(rows.passes() - 1);
  return bandwidth > 0 ? bytes / bandwidth * 1e-3 * again * (isStrided ? 4 : 1)
                       : 0;
}

static double estimateComputeUs(const RowFusion &rows,
                                const DeviceProfile &profile) {
  double elements = double(rows.rows()) * double(rows.columns());
  constexpr double perNode = 4; // a transcendental function is several
  double instructions = perNode * double(rows.nodes.size());
  return profile.peakGflops > 0
             ? elements * instructions / (profile.peakGflops / 2) * 1e-3
             : 0;
}

std::vector<Implementation>
RowsFamily::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  std::string reason;
  auto rows = RowFusion::get(fusion, reason);
  std::vector<Implementation> implementations;
  MLIRContext *context = fusion.getContext();
  for (const RowSchedule &schedule : enumerateSchedules(*rows, profile)) {
    // The order is the enumeration's.
    double us = kSmallKernelUs +
                std::max(estimateMemoryUs(fusion, *rows, schedule, profile),
                         estimateComputeUs(*rows, profile)) +
                1e-3 * double(implementations.size());
    implementations.push_back(offerDense(
        fusion, name(), toAttr(schedule, context), toString(schedule), us));
  }
  return implementations;
}

/// What `fusion` and its impl say; a diagnostic where they do not fit.
static FailureOr<std::pair<RowFusion, RowSchedule>> analyze(FusionOp fusion) {
  std::string reason;
  auto rows = RowFusion::get(fusion, reason);
  if (failed(rows)) {
    return fusion.emitError("rows cannot implement this fusion: ") << reason;
  }
  auto schedule =
      parseRowSchedule(fusion.getImplAttr().getSchedule(), fusion.getLoc());
  if (failed(schedule)) {
    return failure();
  }
  reason = mismatch(*rows, *schedule);
  if (!reason.empty()) {
    return fusion.emitError("rows cannot implement this fusion with ")
           << toString(*schedule) << ": " << reason;
  }
  return std::pair(std::move(*rows), *schedule);
}

LogicalResult RowsFamily::lower(FusionOp fusion,
                                plan::PlanBuilder &plan) const {
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  const auto &[rows, schedule] = *analyzed;
  KernelLaunch launch;
  launch.grid = {int64_t(llvm::divideCeil(rows.rows(), schedule.rows))};
  launch.threads = schedule.blockThreads();
  launch.sharedBytes = sharedBytes(rows, schedule);
  launch.programmatic = schedule.programmatic;
  launch.label = getLaunchLabel(name(), fusion);
  addLaunch(plan, fusion, plan.kernel(fusion, toString(schedule)), launch);
  return success();
}

LogicalResult RowsFamily::emit(plan::KernelOp kernel,
                               const DeviceProfile &profile,
                               ModuleOp device) const {
  auto fusion = cast<FusionOp>(kernel.getBody().front().front());
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  const auto &[rows, schedule] = *analyzed;
  if (schedule.programmatic && profile.smVersion < 90) {
    return kernel.emitError("programmatic launches need sm_90, got ")
           << profile.cpu;
  }
  emitRows(device, kernel.getLoc(),
           cast<StringAttr>(kernel.getEntries()[0]).getValue(), rows, schedule,
           int64_t(fusion.getInputs().size()));
  return success();
}

} // namespace minic::cuda
