// SPDX-License-Identifier: Apache-2.0
//
// The schedule as an attribute and as text.

#include "compiler/target/cuda/attention/AttentionSchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

std::string toString(const AttentionSchedule &schedule) {
  auto text = [](int64_t value) { return std::to_string(value); };
  return "attention " + text(schedule.rowBlock()) + "x" +
         text(schedule.keyBlock) + " warps=" + text(schedule.warps) + "x" +
         text(schedule.keyWarps) + " stages=" + text(schedule.stages) +
         (schedule.wgmma ? " wgmma" : "") + (schedule.ahead ? " ahead" : "") +
         (schedule.split > 1 ? (schedule.clustered ? " cluster=" : " split=") +
                                   text(schedule.split)
                             : "") +
         (schedule.packs ? " packed" : "") +
         (schedule.programmatic ? " pdl" : "");
}

DictionaryAttr toAttr(const AttentionSchedule &schedule, MLIRContext *context) {
  Builder b(context);
  auto number = [&](StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  };
  return b.getDictionaryAttr(
      {number("ahead", schedule.ahead), number("cluster", schedule.clustered),
       number("key_block", schedule.keyBlock),
       number("key_warps", schedule.keyWarps), number("pack", schedule.packs),
       number("pdl", schedule.programmatic),
       number("row_tiles", schedule.rowTiles), number("split", schedule.split),
       number("stages", schedule.stages), number("warps", schedule.warps),
       number("wgmma", schedule.wgmma)});
}

static bool fitsWarps(const AttentionSchedule &schedule) {
  return llvm::isPowerOf2_64(schedule.keyWarps) &&
         llvm::isPowerOf2_64(schedule.warps) &&
         schedule.keyBlock % (16 * schedule.keyWarps) == 0 &&
         schedule.threads() <= 256 && !schedule.ahead;
}

/// A ring needs a stage that is copied while another is multiplied, and whole
/// tiles of shared memory begin at multiples of 1024 bytes.
static bool fitsWarpGroups(const AttentionSchedule &schedule) {
  return schedule.warps % 4 == 0 && schedule.keyWarps == 1 &&
         schedule.rowTiles == 1 && schedule.keyBlock % 32 == 0 &&
         schedule.stages > 1 && !schedule.clustered;
}

/// Clusters of eight run on every device that has clusters.
static bool fitsCluster(const AttentionSchedule &schedule) {
  return !schedule.clustered || (schedule.split > 1 && schedule.split <= 8);
}

FailureOr<AttentionSchedule> parseAttentionSchedule(DictionaryAttr attr,
                                                    Location loc) {
  AttentionSchedule schedule;
  bool isKnown = attr && attr.size() == 11;
  auto read = [&](StringRef name, int64_t least, int64_t most) {
    auto value = attr ? attr.getAs<IntegerAttr>(name) : IntegerAttr();
    isKnown =
        isKnown && value && value.getInt() >= least && value.getInt() <= most;
    return isKnown ? value.getInt() : least;
  };
  schedule.ahead = read("ahead", 0, 1) != 0;
  schedule.clustered = read("cluster", 0, 1) != 0;
  schedule.keyBlock = read("key_block", 16, 256);
  schedule.keyWarps = read("key_warps", 1, 8);
  schedule.packs = read("pack", 0, 1) != 0;
  schedule.programmatic = read("pdl", 0, 1) != 0;
  schedule.rowTiles = read("row_tiles", 1, 2);
  schedule.split = read("split", 1, 128);
  schedule.stages = read("stages", 1, 4);
  schedule.warps = read("warps", 1, 16);
  schedule.wgmma = read("wgmma", 0, 1) != 0;
  isKnown = isKnown && fitsCluster(schedule) &&
            (schedule.wgmma ? fitsWarpGroups(schedule) : fitsWarps(schedule));
  if (!isKnown) {
    return emitError(loc, "attention expects a schedule {ahead, cluster, "
                          "key_block, key_warps, pack, pdl, row_tiles, split, "
                          "stages, warps, wgmma} of at most 256 threads, 512 "
                          "with wgmma, and clusters of at most 8 blocks "
                          "without, got ")
           << attr;
  }
  return schedule;
}

} // namespace minic::cuda
