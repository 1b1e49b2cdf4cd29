// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of pools and resizes.

#include "compiler/target/cpu/images/ImagesFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cpu/KernelLaunch.h"
#include "compiler/target/cpu/TileSchedule.h"
#include "compiler/target/cpu/images/EmitImages.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

using kernel::FusionOp;

/// Elements of a tile: enough for a launch not to matter, few enough for all
/// threads to have some.
static constexpr int64_t kTileElements = 4096;
/// Scratch for a line is on each thread; longer ones are left to `loops`.
static constexpr int64_t kMostScratch = 1 << 20;
/// Taps that are written out along a line.
static constexpr int64_t kMostTaps = 64;

bool ImagesFamily::isFor(Operation *anchor) const {
  return isa_and_present<graph::Pool2dOp, graph::ResizeOp>(anchor);
}

std::optional<std::string> ImagesFamily::reject(FusionOp fusion,
                                                const DeviceProfile &) const {
  std::string reason;
  auto image = ImageFusion::get(fusion, reason);
  if (failed(image)) {
    return reason;
  }
  bool isLong =
      image->pool && !image->isNhwc() && image->window(1).window > kMostTaps;
  if (isLong || imageScratchBytes(*image) > kMostScratch) {
    return "a line or a window that is too long";
  }
  return std::nullopt;
}

/// Vector instructions for one vector of the result, roughly.
static double instructionsPerVector(const ImageFusion &image) {
  double own = 0, reads = 0;
  if (image.pool) {
    double rows = double(image.window(0).window);
    double columns = double(image.window(1).window);
    // Lines are reduced over their rows first, once for each column.
    reads = image.isNhwc() ? rows * columns
                           : rows * double(image.before.space[3]) /
                                 double(image.after.space[3]);
    int64_t stride = image.window(1).stride;
    double perTap = stride == 1 ? 2 : stride == 2 ? 5 : 24;
    own = image.isNhwc() ? 0 : columns * perTap;
  } else {
    bool isWeighed = !image.isNearest();
    reads = isWeighed ? 4 : 1;
    own = image.isNhwc() || image.line(1).isIdentity() ? 0
          : image.widthFactor(kImageLanes)             ? 8
          : isWeighed                                  ? 70
                                                       : 34;
  }
  double perRead = 2 + double(EpilogueEmitter::instructionCount(image.before));
  return own + reads * perRead +
         double(EpilogueEmitter::instructionCount(image.after));
}

std::vector<Implementation>
ImagesFamily::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  std::string reason;
  auto image = ImageFusion::get(fusion, reason);
  int64_t units = image->units(), length = image->after.space.back();
  double bytes = getTrafficBytes(fusion);
  // As pointwise: what fits in the caches was just written there.
  bool isCached = bytes < profile.l2Bytes;
  double bandwidth = profile.memoryGBs * (isCached ? 5 : 1);
  double memoryUs = bandwidth > 0 ? bytes / bandwidth * 1e-3 : 0;
  double vectors =
      double(units) * double(llvm::divideCeil(length, kImageLanes));
  double computeUs = profile.peakGflops > 0
                         ? vectors * instructionsPerVector(*image) /
                               (profile.peakGflops / 32) * 1e-3
                         : 0;
  int64_t tile = std::clamp<int64_t>(kTileElements / length, 1, units);
  std::vector<Implementation> implementations;
  Builder b(fusion.getContext());
  auto add = [&](int64_t tile) {
    int64_t tiles = llvm::divideCeil(units, tile);
    double threads = double(std::clamp<int64_t>(tiles, 1, profile.threads));
    double us =
        std::max(memoryUs / (isCached ? threads : 1), computeUs / threads) +
        0.2 + 0.002 * double(tiles) + (threads > 1 ? profile.joinUs : 0);
    implementations.push_back(offerDense(
        fusion, name(),
        b.getDictionaryAttr(b.getNamedAttr("tile", b.getI64IntegerAttr(tile))),
        "images tile=" + std::to_string(tile), us));
  };
  add(tile);
  if (units > tile) {
    // Larger tiles; one, for one thread, where a team would take long to join.
    bool isShort = profile.threads > 1 &&
                   implementations[0].estimateUs < 8 * profile.joinUs;
    add(isShort ? units : std::min(4 * tile, units));
  }
  for (int64_t each = 1; profile.asksForAll() && each < 2 * units; each *= 2) {
    std::string known = "images tile=" + std::to_string(std::min(each, units));
    if (llvm::none_of(implementations, [&](const Implementation &other) {
          return other.name == known;
        })) {
      add(std::min(each, units));
    }
  }
  llvm::sort(implementations, [](const auto &x, const auto &y) {
    return std::tie(x.estimateUs, x.name) < std::tie(y.estimateUs, y.name);
  });
  return implementations;
}

/// Where a run of fewer images computes only these.
static std::optional<RunBound> boundOf(FusionOp fusion,
                                       const ImageFusion &image) {
  return RunBound::get(fusion, image.units());
}

LogicalResult ImagesFamily::lower(FusionOp fusion,
                                  plan::PlanBuilder &plan) const {
  std::string reason;
  auto image = ImageFusion::get(fusion, reason);
  if (failed(image)) {
    return fusion.emitError("images cannot implement this: ") << reason;
  }
  FailureOr<int64_t> tile = parseTile(fusion, /*least=*/1);
  if (failed(tile)) {
    return failure();
  }
  plan::KernelOp kernel =
      plan.kernel(fusion, "images tile=" + std::to_string(*tile));
  auto bound = boundOf(fusion, *image);
  addLaunch(plan, fusion, kernel,
            {.tiles = int64_t(llvm::divideCeil(image->units(), *tile)),
             .scratchBytes = imageScratchBytes(*image),
             .label = getLaunchLabel(name(), fusion),
             .runSize = bound ? plan.sizeWord(bound->dim) : Value()});
  return success();
}

LogicalResult ImagesFamily::emit(plan::KernelOp kernel, const DeviceProfile &,
                                 ModuleOp device) const {
  auto fusion = cast<FusionOp>(kernel.getBody().front().front());
  std::string reason;
  auto image = ImageFusion::get(fusion, reason);
  FailureOr<int64_t> tile = parseTile(fusion, /*least=*/1);
  if (failed(image) || failed(tile)) {
    return kernel.emitError("internal error: not a kernel of images: ")
           << reason;
  }
  emitImages(device, kernel.getLoc(),
             cast<StringAttr>(kernel.getEntries()[0]).getValue(), fusion,
             *image, *tile, boundOf(fusion, *image));
  return success();
}

} // namespace minic::cpu
