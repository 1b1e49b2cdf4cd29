// SPDX-License-Identifier: Apache-2.0
//
// Estimating and lowering of bodies that only loops implement.

#include "compiler/target/cpu/loops/LoopsFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/codegen/MapLoops.h"
#include "compiler/target/cpu/KernelLaunch.h"
#include "compiler/target/cpu/RunShare.h"
#include "compiler/target/cpu/TileSchedule.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

using kernel::FusionOp;

/// A scalar op with its loads and addresses, in nanoseconds. Concats of f32,
/// which move 8 bytes an element, went at 3 to 4 GB/s, so that they took 2 to
/// 2.7, and where most is computed ahead of a row at 7 to 12, 0.7 to 1.1
/// (docs/measurements/2026-11-26-default-cpu.md). It decides whether a team is
/// worth its joining. Other families do not take these bodies: a quarter of it
/// and four times it change none of 343 choices.
static constexpr double kOpNs = 2;
/// Ops of a tile: enough for a launch not to matter.
static constexpr int64_t kTileOps = 16384;

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
  int64_t points = std::max<int64_t>(loops->pointCount(), 1);
  int64_t ops = std::max<int64_t>(loops->opsPerPoint(), 1);
  int64_t tile =
      std::clamp<int64_t>(llvm::divideCeil(kTileOps, ops), 1, points);
  double threads = double(
      std::clamp<int64_t>(llvm::divideCeil(points, tile), 1, profile.threads));
  Builder b(fusion.getContext());
  double us = double(points) * double(ops) * kOpNs * 1e-3 / threads + 0.2 +
              (threads > 1 ? profile.joinUs : 0);
  return {offerDense(
      fusion, name(),
      b.getDictionaryAttr(b.getNamedAttr("tile", b.getI64IntegerAttr(tile))),
      "loops tile=" + std::to_string(tile), us)};
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
  FailureOr<int64_t> tile = parseTile(fusion, /*least=*/1);
  if (failed(tile)) {
    return failure();
  }
  if (loops->pointCount() == 0) {
    return success(); // nothing to write
  }
  plan::KernelOp kernel =
      plan.kernel(fusion, "loops tile=" + std::to_string(*tile));
  SmallVector<Value> workspace;
  if (loops->reportsIndices()) {
    workspace.push_back(plan.statusWord());
  }
  auto bound = boundOf(fusion, *loops);
  addLaunch(plan, fusion, kernel,
            {.tiles = int64_t(llvm::divideCeil(loops->pointCount(), *tile)),
             .label = getLaunchLabel(name(), fusion),
             .workspace = workspace,
             .runSize = bound ? plan.sizeWord(bound->dim) : Value()});
  return success();
}

LogicalResult LoopsFamily::emit(plan::KernelOp kernel, const DeviceProfile &,
                                ModuleOp device) const {
  auto fusion = cast<FusionOp>(kernel.getBody().front().front());
  std::string reason;
  auto loops = MapLoops::get(fusion, reason);
  FailureOr<int64_t> tile = parseTile(fusion, /*least=*/1);
  if (failed(loops) || failed(tile)) {
    return kernel.emitError("internal error: not a kernel of loops: ")
           << reason;
  }
  OpBuilder builder(device.getContext());
  KernelEntry entry =
      KernelEntry::create(builder, kernel.getLoc(), device,
                          cast<StringAttr>(kernel.getEntries()[0]).getValue());
  KernelBuilder k(builder, kernel.getLoc());
  SmallVector<Value> operands, results;
  for (size_t i = 0; i != fusion.getInputs().size(); ++i) {
    operands.push_back(k.argPointer(entry.args, int64_t(i)));
  }
  for (size_t i = 0; i != fusion.getNumResults(); ++i) {
    results.push_back(k.argPointer(entry.args, int64_t(operands.size() + i)));
  }
  Value statusWord;
  if (loops->reportsIndices()) {
    statusWord =
        k.argPointer(entry.args, int64_t(operands.size() + results.size()));
  }
  auto rows = BoundedRows::get(boundOf(fusion, *loops),
                               int64_t(operands.size() + results.size()) +
                                   (loops->reportsIndices() ? 1 : 0));
  shareTilesOfRun(k, entry, rows, loops->pointCount(), *tile);
  Value first = k.mul(entry.begin, *tile);
  Value last = k.min(k.mul(entry.end, *tile), k.i64(loops->pointCount()));
  int64_t length = loops->rowLength();
  Value endRow = k.div(k.add(last, length - 1), length);
  k.forLoop(k.div(first, length), endRow, 1, [&](Value row) {
    Value ahead = k.mul(row, length);
    Value begin = k.max(k.sub(first, ahead), k.i64(0));
    Value end = k.min(k.sub(last, ahead), k.i64(length));
    k.forLoop(begin, end, 1, [&](Value column) {
      loops->emitPointOfRow(k, row, column, operands, results, statusWord);
    });
  });
  return success();
}

} // namespace minic::cpu
