// SPDX-License-Identifier: Apache-2.0
//
// A grid of row and key blocks, ranked by counting multiply-adds and what comes
// with each block.

#include "compiler/target/cpu/attention/AttentionSchedule.h"

#include "compiler/target/cpu/WeightBandwidth.h"
#include "compiler/target/cpu/attention/TileShape.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

/// Keys that a tile with the queries [first, first + rows) looks at.
static double keysSeen(const AttentionFusion &body, const TileShape &shape,
                       int64_t first) {
  // Queries of several heads are all of a head's, about.
  bool isOneHead = body.headsPerKey() == 1;
  int64_t shift =
      body.causal == graph::Causal::LowerRight ? body.keys - body.rows : 0;
  int64_t low = shift + (isOneHead ? first : 0);
  int64_t high =
      shift + (isOneHead ? std::min(first + shape.rows, body.rows) : body.rows);
  int64_t begin = 0, end = body.keys;
  // Wider than all keys and queries is no window.
  int64_t window =
      std::min(body.window.value_or(INT64_MAX), body.keys + body.rows);
  if (body.causal != graph::Causal::None) {
    end = std::clamp<int64_t>(high, 0, end);
  }
  if (body.window) {
    begin = std::max<int64_t>(low - window + 1, 0);
    end = std::min(end, high + window);
  }
  return double(llvm::alignTo(uint64_t(std::max<int64_t>(end - begin, 0)),
                              uint64_t(shape.step)));
}

/// Cycles of one tile whose lanes are queries.
static double estimateTile(const AttentionFusion &body, const TileShape &shape,
                           double keys, double fmasPerCycle,
                           const DeviceProfile &profile) {
  auto vectors = double(shape.vectors), rows = double(shape.rows);
  auto depth = double(body.depth);
  double columns = double(shape.sumColumns) / double(shape.lanes);
  double blocks = std::ceil(keys / double(shape.blockKeys));
  // A broadcast for each element of a key.
  double perKey = depth * (vectors + (vectors > 1 ? 0.1 : 0.3));
  double multiply = keys * (perKey + rows * columns) / fmasPerCycle;
  // About 16 instructions beside the products, two at a time.
  double weigh = keys * vectors * (body.softCap ? 24 : 8);
  double pack = rows * depth * 0.45;
  if (getMaskKind(body) == MaskKind::PerRow) {
    pack += keys * rows * 0.45;
  }
  if (shape.copiesKeys) {
    pack += keys * depth * 0.2;
  }
  if (shape.copiesValues) {
    pack += keys * columns * 3;
  }
  double perBlock = 100 + rows * columns * 4;
  double bytes =
      4 * (double(shape.blockKeys) * (rows + columns * 16) + rows * depth);
  if (bytes > 0.7 * double(profile.l2Bytes)) {
    multiply *= 1.15;
  }
  return multiply + weigh + pack + blocks * perBlock + rows * columns * 4 + 200;
}

/// Cycles of one tile whose lanes are keys: a load and a multiply-add for 16
/// elements of a key, then 60 instructions or so for 16 scores.
static double estimateRows(const AttentionFusion &body, const TileShape &shape,
                           double keys, double fmasPerCycle) {
  auto rows = double(shape.rows);
  double columns = double(shape.sumColumns) / double(shape.lanes);
  double parts = double(shape.keyColumns) / double(shape.lanes);
  double conversion = body.key.storage.isF32() ? 1 : 1.5;
  double dot = parts * conversion / fmasPerCycle + 60.0 / 16;
  double sum = columns * conversion * (rows < 2 ? 1.3 : 1) / fmasPerCycle + 1;
  return keys * rows * (dot + sum) + 300 + rows * 100;
}

/// Cycles of one tile whose products are those of AMX: 16 cycles each, 20 with
/// their loads. All else is counted instructions, two at a time. 12 heads of 64
/// with 128 and 512 queries and keys are estimated at 126 and 1800 us and took
/// 311 and 4417 (docs/measurements/2026-11-27-amx.md): 0.41 of the time, alike,
/// which ranks schedules. Beside other ways it is too short, but those took
/// 1.37 to 2 times as long on that page, so the choice is right there. What
/// another factor would change is on docs/measurements/2026-11-28-constants.md.
static double estimateTiles(const AttentionFusion &body, const TileShape &shape,
                            double keys) {
  constexpr double perProduct = 20, perBlock = 400;
  auto vectors = double(shape.vectors), rows = double(shape.rows);
  double columns = double(shape.sumColumns) / double(shape.lanes);
  double steps = double(shape.paddedDepth) / 32;
  double groups = std::ceil(keys / 32);
  double blocks = std::ceil(keys / double(shape.blockKeys));
  double products = groups * vectors * (2 * steps + columns) * perProduct;
  // Scores are stored, finished and weighed, weights rounded and transposed.
  double weigh = keys * vectors * ((body.softCap ? 30 : 14) + 6);
  double pack = keys * (2 * steps + 2 * columns) + rows * steps * 8;
  if (getMaskKind(body) == MaskKind::PerRow) {
    pack += keys * rows * 0.45;
  }
  return products + weigh + pack + blocks * (perBlock + rows * columns * 4) +
         rows * columns * 4 + 600;
}

static double estimate(const AttentionFusion &body,
                       const AttentionSchedule &schedule,
                       const DeviceProfile &profile) {
  AttentionTiles tiles(body, schedule);
  // The peak counts 16-lane multiply-adds at 3.5 GHz, as gemm_packed has it.
  double gigahertz = 3.5;
  double fmasPerCycle =
      profile.peakGflops > 0 ? profile.peakGflops / gigahertz / 32 : 1;
  double cycles = 0;
  int64_t first = 0;
  for (int64_t tile = 0; tile != tiles.perGroup; ++tile) {
    const TileShape &shape =
        tile < tiles.tallTiles ? tiles.shapes.front() : tiles.shapes.back();
    double keys = keysSeen(body, shape, first);
    cycles += shape.usesTiles ? estimateTiles(body, shape, keys)
              : shape.lanesAreQueries
                  ? estimateTile(body, shape, keys, fmasPerCycle, profile)
                  : estimateRows(body, shape, keys, fmasPerCycle);
    first += shape.rows;
  }
  if (tiles.split > 1) {
    // Each part leaves its sums, and they are read again.
    const TileShape &shape = tiles.shapes.front();
    double sums = double(shape.rows * shape.sumColumns / shape.lanes);
    cycles += double(tiles.perGroup * tiles.split) * (300 + 4 * sums);
  }
  cycles *= double(tiles.groups);
  int64_t share = llvm::divideCeil(tiles.count(), std::max(profile.threads, 1));
  double slowest = double(share) / double(tiles.count());
  double us = cycles * slowest / (gigahertz * 1e3);
  double bytes = double(tiles.groups * body.keys) *
                 double(body.depth + body.valueDepth) *
                 double(body.key.storage.getIntOrFloatBitWidth() / 8);
  auto workers = int(llvm::divideCeil(tiles.count(), share));
  us = std::max(us, bytes / weightBandwidthGBs(profile, bytes, workers, bytes) *
                        1e-3);
  return us + 0.2 +
         (tiles.count() > 1 && profile.threads > 1 ? profile.joinUs : 0);
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// Parts of a tile's keys at most, and keys of a part at least.
constexpr int64_t kMostParts = 16, kFewestKeys = 64;

/// In how many parts the keys of a tile leave no thread idle.
static int64_t partsFor(const AttentionFusion &body,
                        const AttentionSchedule &schedule,
                        const DeviceProfile &profile) {
  int64_t threads = std::max(profile.threads, 1);
  int64_t tiles = AttentionTiles(body, schedule).count();
  auto busy = [&](int64_t parts) {
    int64_t count = tiles * parts;
    return double(count) /
           double(int64_t(llvm::divideCeil(count, threads)) * threads);
  };
  int64_t best = 1;
  for (int64_t parts = 2; parts <= kMostParts &&
                          body.keys / parts >= kFewestKeys && busy(best) < 0.9;
       ++parts) {
    best = busy(parts) > 1.1 * busy(best) ? parts : best;
  }
  return best;
}

/// Numbers of parts of a tile's keys.
static SmallVector<int64_t> splitsOf(const AttentionFusion &body,
                                     const AttentionSchedule &schedule,
                                     const DeviceProfile &profile) {
  SmallVector<int64_t> splits = {1, partsFor(body, schedule, profile)};
  for (int64_t parts = 2; profile.asksForAll() && parts <= kMostParts;
       ++parts) {
    if (body.keys / parts >= kFewestKeys) {
      splits.push_back(parts);
    }
  }
  return splits;
}

std::vector<EstimatedAttention>
enumerateSchedules(const AttentionFusion &body, const DeviceProfile &profile) {
  constexpr size_t kMost = 8;
  // Sums of scores, a vector of queries each and a broadcast fill the
  // registers.
  static const AttentionSchedule wide[] = {{64, 6},  {48, 8}, {32, 12},
                                           {16, 12}, {8, 16}, {4, 16}};
  static const AttentionSchedule narrow[] = {{64, 6}, {32, 6}, {16, 6},
                                             {32, 2}, {8, 16}, {4, 16}};
  // A tile has 16 rows: a step is as many keys.
  static const AttentionSchedule tiled[] = {
      {.rows = 64, .step = 16, .tiles = true},
      {.rows = 32, .step = 16, .tiles = true}};
  bool isWide = profile.has("avx512f"), all = profile.asksForAll();
  int64_t queries = body.headsPerKey() * body.rows;
  auto fits = [&](const AttentionSchedule &schedule) {
    if (all) {
      return true;
    }
    if (!schedule.hasLanesOfQueries()) {
      return queries <= 2 * TileShape::lanes;
    }
    // Lower tiles have a schedule of their own; the lowest are slow.
    bool isLowest = schedule.rows == TileShape::lanes;
    return isLowest ? !isWide || queries <= schedule.rows
                    : schedule.rows < queries + TileShape::lanes;
  };
  std::vector<EstimatedAttention> found;
  auto offered = llvm::to_vector(isWide ? ArrayRef(wide) : ArrayRef(narrow));
  if (takesTiles(body, profile)) {
    llvm::append_range(offered, tiled);
  }
  for (AttentionSchedule schedule : offered) {
    if (!fits(schedule)) {
      continue;
    }
    if (!schedule.hasLanesOfQueries()) {
      schedule.rows = std::min(schedule.rows, queries);
    }
    for (int64_t keys : {64, 128, 512}) {
      for (int64_t split : splitsOf(body, schedule, profile)) {
        schedule.split = split;
        schedule.keys =
            std::min(keys, int64_t(llvm::divideCeil(body.keys, split)));
        bool isKnown = llvm::any_of(found, [&](const auto &other) {
          return other.schedule == schedule;
        });
        if (!isKnown) {
          found.push_back({schedule, estimate(body, schedule, profile)});
        }
      }
    }
  }
  llvm::sort(found, [](const auto &a, const auto &b) {
    return std::pair(a.us, toString(a.schedule)) <
           std::pair(b.us, toString(b.schedule));
  });
  if (!all && found.size() > kMost) {
    found.resize(kMost);
  }
  return found;
}

bool takesTiles(const AttentionFusion &body, const DeviceProfile &profile) {
  auto isRows = [](const AttentionFusion::Access &access, int64_t elements) {
    return access.storage.isBF16() && (access.strides[3] == 1 || elements == 1);
  };
  return profile.has("amx-tile") && profile.has("amx-bf16") &&
         profile.has("avx512bf16") && isRows(body.query, body.depth) &&
         isRows(body.key, body.depth) && isRows(body.value, body.valueDepth);
}

AttentionSchedule withoutTiles(AttentionSchedule schedule) {
  schedule.step = schedule.rows > 48 ? 6 : schedule.rows > 32 ? 8 : 12;
  schedule.tiles = false;
  return schedule;
}

std::string toString(const AttentionSchedule &schedule) {
  return "attention " + std::to_string(schedule.rows) + "x" +
         std::to_string(schedule.step) +
         " keys=" + std::to_string(schedule.keys) +
         (schedule.split > 1 ? " split=" + std::to_string(schedule.split)
                             : "") +
         (schedule.tiles ? " dot=tiles" : "");
}

DictionaryAttr toAttr(const AttentionSchedule &schedule, MLIRContext *context) {
  Builder b(context);
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr("keys", b.getI64IntegerAttr(schedule.keys)),
      b.getNamedAttr("rows", b.getI64IntegerAttr(schedule.rows)),
      b.getNamedAttr("split", b.getI64IntegerAttr(schedule.split)),
      b.getNamedAttr("step", b.getI64IntegerAttr(schedule.step))};
  if (schedule.tiles) {
    entries.push_back(b.getNamedAttr("tiles", b.getUnitAttr()));
  }
  return b.getDictionaryAttr(entries);
}

FailureOr<AttentionSchedule> parseAttentionSchedule(kernel::FusionOp fusion) {
  DictionaryAttr attr = fusion.getImplAttr().getSchedule();
  auto read = [&](StringRef name) {
    auto value = attr ? attr.getAs<IntegerAttr>(name) : IntegerAttr();
    return value ? value.getInt() : 0;
  };
  AttentionSchedule schedule = {read("rows"), read("step"), read("keys"),
                                read("split"),
                                attr && attr.getAs<UnitAttr>("tiles")};
  bool isKnown =
      attr && attr.size() == (schedule.tiles ? 5u : 4u) &&
      (!schedule.tiles || (schedule.rows >= 16 && schedule.step == 16)) &&
      schedule.keys >= 1 && schedule.split >= 1 && schedule.split <= 16 &&
      schedule.step >= 1 && schedule.step <= 16 && schedule.rows >= 1 &&
      schedule.rows <= 64 &&
      (schedule.hasLanesOfQueries() ? schedule.rows % 16 == 0
                                    : schedule.step == 16);
  if (!isKnown) {
    return fusion.emitError(
               "attention expects a schedule {keys = N, rows = M, split = P, "
               "step = K} with N of at least 1, P up to 16, and M a multiple "
               "of 16 up to 64 with K up to 16, or M below 16 with K of 16; "
               "with `tiles`, M of at least 16 and K of 16; "
               "got ")
           << attr;
  }
  return schedule;
}

} // namespace minic::cpu
