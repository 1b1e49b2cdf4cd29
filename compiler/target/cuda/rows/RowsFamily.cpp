// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of passes over rows.

#include "compiler/target/cuda/rows/RowsFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/ConstantOperands.h"
#include "compiler/target/cuda/KernelLaunch.h"
#include "compiler/target/cuda/rows/EmitRows.h"
#include "compiler/target/cuda/rows/EnumerateRows.h"
#include "compiler/target/cuda/rows/RowWorkspace.h"

using namespace mlir;

namespace minic::cuda {

using kernel::FusionOp;

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

static double getResultBytes(FusionOp fusion) {
  double bytes = 0;
  for (Type type : fusion.getResultTypes()) {
    bytes += double(kernel::getBytes(cast<RankedTensorType>(type)));
  }
  return bytes;
}

std::vector<Implementation>
RowsFamily::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  std::string reason;
  auto rows = RowFusion::get(fusion, reason);
  RowTraffic traffic;
  traffic.written = getResultBytes(fusion);
  traffic.read = getTrafficBytes(fusion) - traffic.written;
  std::vector<Implementation> implementations;
  MLIRContext *context = fusion.getContext();
  for (const auto &[schedule, us] : enumerateRows(*rows, traffic, profile)) {
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

/// Where a run of fewer rows computes only these.
static std::optional<RunBound> boundOf(FusionOp fusion, const RowFusion &rows) {
  return rows.writesRowsInOrder() ? RunBound::get(fusion, rows.rows())
                                  : std::nullopt;
}

LogicalResult RowsFamily::lower(FusionOp fusion,
                                plan::PlanBuilder &plan) const {
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  const auto &[rows, schedule] = *analyzed;
  KernelLaunch launch;
  launch.grid = {schedule.blocks(rows)};
  launch.threads = schedule.blockThreads();
  launch.clusterX = schedule.cluster ? schedule.split : 0;
  launch.sharedBytes = sharedBytes(rows, schedule);
  launch.programmatic = schedule.programmatic;
  launch.label = getLaunchLabel(name(), fusion);
  if (int64_t bytes = workspaceBytes(rows, schedule)) {
    launch.workspace.push_back(plan.buffer(bytes));
  }
  if (int64_t bytes = counterBytes(rows, schedule)) {
    launch.workspace.push_back(plan.zeroedBuffer(bytes));
  }
  if (auto bound = boundOf(fusion, rows)) {
    launch.runSize = plan.sizeWord(bound->dim);
  }
  noteConstantOperands(fusion);
  int64_t launches = schedule.launches(rows);
  plan::KernelOp kernel = plan.kernel(fusion, toString(schedule), launches);
  for (int64_t i = 0; i != launches; ++i) {
    addLaunch(plan, fusion, kernel, launch, size_t(i));
  }
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
  if (failed(checkProgrammatic(kernel, schedule.programmatic, profile))) {
    return failure();
  }
  if (schedule.cluster && profile.smVersion < 90) {
    return kernel.emitError("clusters of blocks need sm_90, got ")
           << profile.cpu;
  }
  emitRows(device, kernel.getLoc(), kernel.getEntries(), rows, schedule,
           constantOperands(fusion), boundOf(fusion, rows));
  return success();
}

} // namespace minic::cuda
