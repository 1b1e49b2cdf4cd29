// SPDX-License-Identifier: Apache-2.0
//
// Matching and lowering of bodies that are passes over rows.

#include "compiler/target/cpu/rows/RowsFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cpu/KernelLaunch.h"
#include "compiler/target/cpu/rows/EmitRows.h"
#include "compiler/target/cpu/rows/RowMemory.h"
#include "compiler/target/cpu/rows/RowPieces.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cpu {

using kernel::FusionOp;

bool RowsFamily::isFor(Operation *anchor) const {
  return anchor && !graph::isContraction(anchor) &&
         !graph::isConvolution(anchor);
}

std::optional<std::string> RowsFamily::reject(FusionOp fusion,
                                              const DeviceProfile &) const {
  std::string reason;
  if (failed(RowFusion::get(fusion, reason))) {
    return reason;
  }
  return std::nullopt;
}

std::vector<Implementation>
RowsFamily::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  std::string reason;
  auto rows = RowFusion::get(fusion, reason);
  double bytes = getTrafficBytes(fusion);
  MLIRContext *context = fusion.getContext();
  std::vector<Implementation> implementations;
  for (const auto &[schedule, us] : enumerateSchedules(*rows, bytes, profile)) {
    implementations.push_back(offerDense(
        fusion, name(), toAttr(schedule, context), toString(schedule), us));
  }
  return implementations;
}

/// Where a run of fewer rows computes only these.
static std::optional<RunBound> boundOf(FusionOp fusion, const RowFusion &rows,
                                       const RowSchedule &schedule) {
  return schedule.pieces == 1 && rows.writesRowsInOrder()
             ? RunBound::get(fusion, rows.rows())
             : std::nullopt;
}

LogicalResult RowsFamily::lower(FusionOp fusion,
                                plan::PlanBuilder &plan) const {
  std::string reason;
  auto rows = RowFusion::get(fusion, reason);
  if (failed(rows)) {
    return fusion.emitError("rows cannot implement this: ") << reason;
  }
  FailureOr<RowSchedule> schedule = parseRowSchedule(fusion);
  if (failed(schedule)) {
    return failure();
  }
  bool hasPieces = schedule->pieces > 1;
  KernelLaunch launch{
      .tiles = schedule->tiles(*rows),
      .scratchBytes =
          hasPieces ? 0 : scratchBytes(*rows, walksOf(*rows, *schedule)),
      .label = getLaunchLabel(name(), fusion)};
  if (int64_t bytes = workspaceBytes(*rows, *schedule)) {
    launch.workspace.push_back(plan.buffer(bytes));
  }
  if (auto bound = boundOf(fusion, *rows, *schedule)) {
    launch.runSize = plan.sizeWord(bound->dim);
  }
  int64_t count = launches(*rows, *schedule);
  plan::KernelOp kernel = plan.kernel(fusion, toString(*schedule), count);
  for (int64_t i = 0; i != count; ++i) {
    if (hasPieces && i == rows->passes()) {
      launch.tiles = rows->rows();
    }
    addLaunch(plan, fusion, kernel, launch, size_t(i));
  }
  return success();
}

LogicalResult RowsFamily::emit(plan::KernelOp kernel,
                               const DeviceProfile &profile,
                               ModuleOp device) const {
  auto fusion = cast<FusionOp>(kernel.getBody().front().front());
  std::string reason;
  auto rows = RowFusion::get(fusion, reason);
  FailureOr<RowSchedule> schedule = parseRowSchedule(fusion);
  if (failed(rows) || failed(schedule)) {
    return kernel.emitError("internal error: not a kernel of rows: ") << reason;
  }
  emitRows(device, kernel.getLoc(), kernel.getEntries(), *rows, *schedule,
           profile, int64_t(fusion.getInputs().size()),
           boundOf(fusion, *rows, *schedule));
  return success();
}

} // namespace minic::cpu
