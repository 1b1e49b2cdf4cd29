// SPDX-License-Identifier: Apache-2.0
//
// Tiles of some thousand elements, one tile where a team costs more than it
// saves, and pieces of rows where a team would have too few.

#include "compiler/target/cpu/rows/RowSchedule.h"

#include "compiler/target/cpu/rows/RowMemory.h"
#include "compiler/target/cpu/rows/RowPieces.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

/// Instructions of a reduction's end: lanes are merged one by two.
static constexpr double kRowInstructions = 60;
/// Columns of a piece, at least: enough for its end not to matter, and few
/// enough for all threads to have about as many.
static constexpr int64_t kPieceColumns = 4096;
/// Of a row that is cut. Shorter ones end before a team has joined.
static constexpr int64_t kLeastPieces = 8, kMostPieces = 64;
/// How much more of memory several threads get than one: WeightBandwidth's.
static constexpr double kTeamsMemory = 1.6 / 1.2;

/// What instructions of several walks take of what their number says: a softmax
/// of 512x256 in f32 took 63 us on a Xeon with AMX, where it says 79, and as
/// kernels of one walk each 73, where it says 78. Why was not looked for.
static constexpr double kSeveralWalks = 0.9;

static double estimate(const RowFusion &rows, const RowSchedule &schedule,
                       double bytes, const DeviceProfile &profile) {
  RowWalks walks = walksOf(rows, schedule);
  int64_t tiles = schedule.tiles(rows);
  double threads = double(std::clamp<int64_t>(tiles, 1, profile.threads));
  // What fits in the caches was just written there by the producer; they
  // deliver about five times what memory does, each core's its own.
  bool isCached = bytes < double(profile.l2Bytes);
  double bandwidth = profile.memoryGBs * (isCached ? 5 : 1);
  double memoryUs = bandwidth > 0 ? bytes / bandwidth * 1e-3 : 0;
  // Two vector instructions per cycle; a peak FLOP count is 64 of them.
  double vectors = double(rows.columns() / rows.extents.back()) *
                   double(llvm::divideCeil(rows.extents.back(), 16));
  double instructions = vectors * double(walks.instructionCount(rows)) +
                        kRowInstructions * double(walks.walks.size());
  double computeUs = profile.peakGflops > 0
                         ? double(rows.rows()) * instructions /
                               (profile.peakGflops / 32) * 1e-3
                         : 0;
  if (walks.walks.size() > 1) {
    computeUs *= kSeveralWalks;
  }
  // What is kept beyond the second cache comes from the third.
  double spilled =
      double(scratchBytes(rows, walks)) > 0.5 * double(profile.l2Bytes)
          ? 2.0 * double(scratchBytes(rows, walks)) * double(rows.rows())
          : 0;
  computeUs += profile.l3GBs > 0 ? spilled / profile.l3GBs * 1e-3 : 0;
  double atOnce = isCached ? threads : threads > 1 ? kTeamsMemory : 1;
  return std::max(memoryUs / atOnce, computeUs / threads) +
         0.002 * double(tiles) +
         double(launches(rows, schedule)) *
             (0.2 + (threads > 1 ? profile.joinUs : 0));
}

std::vector<EstimatedRows> enumerateSchedules(const RowFusion &rows,
                                              double bytes,
                                              const DeviceProfile &profile) {
  std::vector<EstimatedRows> found;
  bool canKeep = !RowWalks::get(rows, /*keeps=*/true).kept.empty();
  auto add = [&](int64_t tile) {
    for (bool keeps : {false, true}) {
      RowSchedule schedule = {std::clamp<int64_t>(tile, 1, rows.rows()), keeps};
      bool isKnown = llvm::any_of(found, [&](const EstimatedRows &other) {
        return other.schedule == schedule;
      });
      if (keeps <= canKeep && !isKnown) {
        found.push_back({schedule, estimate(rows, schedule, bytes, profile)});
      }
    }
  };
  for (int64_t elements : {4096, 16384}) {
    add(elements / rows.columns());
  }
  bool all = profile.asksForAll();
  for (int64_t tile = 1; all && tile < 2 * rows.rows(); tile *= 2) {
    add(tile);
  }
  // One tile, for one thread, where a team would take longer to join.
  if (profile.threads > 1 && found[0].us < 8 * profile.joinUs) {
    add(rows.rows());
  }
  int64_t most = std::min(rows.columns() / kPieceColumns, kMostPieces);
  auto addPieces = [&](int64_t pieces) {
    for (bool keeps : {false, true}) {
      RowSchedule schedule{1, keeps, pieces};
      bool isNew = keeps == !walksOf(rows, schedule).kept.empty();
      if (pieces >= kLeastPieces && isNew) {
        found.push_back({schedule, estimate(rows, schedule, bytes, profile)});
      }
    }
  };
  if (rows.rows() < profile.threads || all) {
    addPieces(most);
  }
  for (int64_t pieces = kLeastPieces; all && pieces < most; pieces *= 2) {
    addPieces(pieces);
  }
  llvm::stable_sort(found,
                    [](const auto &a, const auto &b) { return a.us < b.us; });
  return found;
}

std::string toString(const RowSchedule &schedule) {
  return (schedule.pieces > 1 ? "rows pieces=" + std::to_string(schedule.pieces)
                              : "rows tile=" + std::to_string(schedule.rows)) +
         (schedule.keeps ? " keep" : "");
}

DictionaryAttr toAttr(const RowSchedule &schedule, MLIRContext *context) {
  Builder b(context);
  return b.getDictionaryAttr(
      {b.getNamedAttr("keep", b.getBoolAttr(schedule.keeps)),
       b.getNamedAttr("pieces", b.getI64IntegerAttr(schedule.pieces)),
       b.getNamedAttr("tile", b.getI64IntegerAttr(schedule.rows))});
}

FailureOr<RowSchedule> parseRowSchedule(kernel::FusionOp fusion) {
  DictionaryAttr attr = fusion.getImplAttr().getSchedule();
  auto keep = attr ? attr.getAs<BoolAttr>("keep") : BoolAttr();
  auto tile = attr ? attr.getAs<IntegerAttr>("tile") : IntegerAttr();
  auto pieces = attr ? attr.getAs<IntegerAttr>("pieces") : IntegerAttr();
  bool isKnown = keep && tile && pieces && attr.size() == 3 &&
                 tile.getInt() >= 1 && pieces.getInt() >= 1 &&
                 pieces.getInt() <= 4096;
  if (!isKnown || (pieces.getInt() > 1 && tile.getInt() != 1)) {
    return fusion.emitError("rows expects a schedule {keep = true or false, "
                            "pieces = N, tile = M}, N up to 4096 and one of "
                            "them 1, got ")
           << attr;
  }
  return RowSchedule{tile.getInt(), keep.getValue(), pieces.getInt()};
}

} // namespace minic::cpu
