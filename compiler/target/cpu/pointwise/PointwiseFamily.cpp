// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of pointwise bodies.

#include "compiler/target/cpu/pointwise/PointwiseFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cpu/EpilogueEmitter.h"
#include "compiler/target/cpu/KernelLaunch.h"
#include "compiler/target/cpu/TileSchedule.h"
#include "compiler/target/cpu/pointwise/EmitPointwise.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

using kernel::FusionOp;
using kernel::FusionShape;

/// The loops of a body, or why it has none.
static FailureOr<PointwiseLoops> analyze(FusionOp fusion, std::string &reason) {
  auto shape = FusionShape::get(fusion, &reason);
  if (failed(shape)) {
    return failure();
  }
  if (shape->anchor) {
    reason =
        shape->gemm ? "a contraction in the body" : "a convolution in the body";
    return failure();
  }
  return PointwiseLoops::get(*shape, reason);
}

static PointwiseTiles getTiles(const PointwiseLoops &loops, int64_t tile) {
  return PointwiseTiles::get(loops.rows(), loops.columns(), tile,
                             loops.isTransposing());
}

/// Where a run of fewer rows computes only these.
static std::optional<RunBound> boundOf(FusionOp fusion,
                                       const PointwiseLoops &loops) {
  return RunBound::get(fusion, loops.rows() * loops.columns());
}

std::optional<std::string>
PointwiseFamily::reject(FusionOp fusion, const DeviceProfile &) const {
  std::string reason;
  if (failed(analyze(fusion, reason))) {
    return reason;
  }
  return std::nullopt;
}

std::vector<Implementation>
PointwiseFamily::enumerate(FusionOp fusion,
                           const DeviceProfile &profile) const {
  std::string reason;
  auto shape = FusionShape::get(fusion, &reason);
  auto loops = PointwiseLoops::get(*shape, reason);
  double elements = double(loops->rows()) * double(loops->columns());
  double bytes = getTrafficBytes(fusion) - loops->bytesLeftOut(fusion);
  // What fits in the caches was just written there by the producer; they
  // deliver about five times what memory does, each core's its own.
  bool isCached = bytes < profile.l2Bytes;
  double bandwidth = profile.memoryGBs * (isCached ? 5 : 1);
  double memoryUs = bandwidth > 0 ? bytes / bandwidth * 1e-3 : 0;
  // Two vector instructions per cycle; a peak FLOP count is 64 of them. A row
  // ends in a vector that is not full, a strided vector is 16 loads.
  double vectors =
      double(loops->rows()) * double(llvm::divideCeil(loops->columns(), 16));
  double instructions = EpilogueEmitter::instructionCount(*shape);
  for (const PointwiseLoops::Read &read : loops->reads) {
    instructions += read.strides.back() > 1 ? 24 : 0;
  }
  double computeUs =
      profile.peakGflops > 0
          ? vectors * instructions / (profile.peakGflops / 32) * 1e-3
          : 0;

  std::vector<Implementation> implementations;
  Builder b(fusion.getContext());
  auto add = [&](int64_t tile) {
    auto tiles = getTiles(*loops, tile);
    double threads =
        double(std::clamp<int64_t>(tiles.count(), 1, profile.threads));
    double us =
        std::max(memoryUs / (isCached ? threads : 1), computeUs / threads) +
        0.2 + 0.002 * tiles.count() + (threads > 1 ? profile.joinUs : 0);
    implementations.push_back(offerDense(
        fusion, name(),
        b.getDictionaryAttr(b.getNamedAttr("tile", b.getI64IntegerAttr(tile))),
        "pointwise tile=" + std::to_string(tile), us));
  };
  add(4096);
  if (elements >= 8 * 16384) {
    add(16384); // else too few tiles for it to matter
  }
  // One tile, for one thread, where a team would take longer to join.
  int64_t all = llvm::alignTo(loops->rows() * loops->columns(), 64);
  if (profile.threads > 1 &&
      implementations[0].estimateUs < 8 * profile.joinUs &&
      getTiles(*loops, 4096).count() > 1 &&
      getTiles(*loops, all).count() == 1) {
    add(all);
  }
  for (int64_t tile = 1024; profile.asksForAll() && double(tile) < 2 * elements;
       tile *= 2) {
    bool isKnown =
        llvm::any_of(implementations, [&](const Implementation &other) {
          return other.name == "pointwise tile=" + std::to_string(tile);
        });
    if (!isKnown) {
      add(tile);
    }
  }
  llvm::sort(implementations, [](const auto &a, const auto &b) {
    return std::tie(a.estimateUs, a.name) < std::tie(b.estimateUs, b.name);
  });
  return implementations;
}

LogicalResult PointwiseFamily::lower(FusionOp fusion,
                                     plan::PlanBuilder &plan) const {
  std::string reason;
  auto loops = analyze(fusion, reason);
  if (failed(loops)) {
    return fusion.emitError("pointwise cannot implement this: ") << reason;
  }
  FailureOr<int64_t> tile = parseTile(fusion, /*least=*/64);
  if (failed(tile)) {
    return failure();
  }
  auto tiles = getTiles(*loops, *tile);
  if (tiles.count() == 0) {
    return success(); // nothing to write
  }
  plan::KernelOp kernel =
      plan.kernel(fusion, "pointwise tile=" + std::to_string(*tile));
  KernelLaunch launch = {.tiles = tiles.count(),
                         .label = getLaunchLabel(name(), fusion)};
  if (loops->gathers()) {
    launch.workspace.push_back(plan.statusWord());
  }
  if (auto bound = boundOf(fusion, *loops)) {
    launch.runSize = plan.sizeWord(bound->dim);
  }
  addLaunch(plan, fusion, kernel, launch);
  return success();
}

LogicalResult PointwiseFamily::emit(plan::KernelOp kernel,
                                    const DeviceProfile &,
                                    ModuleOp device) const {
  auto fusion = cast<FusionOp>(kernel.getBody().front().front());
  std::string reason;
  auto loops = analyze(fusion, reason);
  FailureOr<int64_t> tile = parseTile(fusion, /*least=*/64);
  if (failed(loops) || failed(tile)) {
    return kernel.emitError("internal error: not a pointwise kernel: ")
           << reason;
  }
  auto types = llvm::map_to_vector(fusion.getResultTypes(), [](Type type) {
    return getElementTypeOrSelf(type);
  });
  emitPointwise(device, kernel.getLoc(),
                cast<StringAttr>(kernel.getEntries()[0]).getValue(), *loops,
                getTiles(*loops, *tile), fusion.getInputs().size(), types,
                boundOf(fusion, *loops));
  return success();
}

} // namespace minic::cpu
