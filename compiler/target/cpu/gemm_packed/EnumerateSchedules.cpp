// SPDX-License-Identifier: Apache-2.0
//
// A grid of register tiles, packing, blocks and orders, ranked by an estimate.

#include "compiler/target/cpu/gemm_packed/EnumerateSchedules.h"

#include "compiler/target/cpu/WeightBandwidth.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace minic::cpu {

namespace {

struct RegisterTile {
  int64_t mr, nr;
};

/// Tiles whose sums fit the register file: 32 registers of 16 lanes, or 16 of
/// 8.
SmallVector<RegisterTile> registerTiles(int64_t m, bool wide, bool all) {
  static const RegisterTile gemv[] = {
      {1, 64}, {1, 128}, {1, 256}, {1, 32}, {1, 16}};
  static const RegisterTile wideTiles[] = {{8, 32},  {6, 64},  {12, 32},
                                           {14, 32}, {10, 32}, {4, 64},
                                           {8, 48},  {16, 16}};
  static const RegisterTile wideFew[] = {{2, 64}, {2, 128}, {2, 32}, {4, 64},
                                         {4, 32}, {4, 96},  {8, 32}, {8, 48},
                                         {6, 64}, {8, 16}};
  static const RegisterTile narrowTiles[] = {
      {6, 16}, {4, 16}, {5, 16}, {3, 32}};
  static const RegisterTile narrowGemv[] = {{1, 64}, {1, 32}, {1, 16}, {1, 96}};
  SmallVector<RegisterTile> tiles;
  auto add = [&](ArrayRef<RegisterTile> more) {
    llvm::append_range(tiles, more);
  };
  if (m <= 1 || all) {
    add(wide ? ArrayRef(gemv) : ArrayRef(narrowGemv));
  }
  if (m > 1 && !wide) {
    add(narrowTiles);
  }
  if (m > 1 && wide && (m <= 8 || all)) {
    add(wideFew);
  }
  if (m > 8 && wide) {
    add(wideTiles);
  }
  return tiles;
}

/// How products of `dtype` are made on the CPU.
SmallVector<GemmDot> dotsFor(Type dtype, const DeviceProfile &profile) {
  bool all = profile.asksForAll();
  if (dtype.isInteger()) {
    if (!profile.has("avx512vnni")) {
      return {GemmDot::Pairs};
    }
    return all ? SmallVector<GemmDot>{GemmDot::Quads, GemmDot::Pairs}
               : SmallVector<GemmDot>{GemmDot::Quads};
  }
  if (!dtype.isBF16() || !profile.has("avx512bf16")) {
    return {GemmDot::Fma};
  }
  // Where widened elements are multiplied as fast, pairs only save loads.
  return all || profile.pairGflops <= profile.peakGflops
             ? SmallVector<GemmDot>{GemmDot::Pairs, GemmDot::Fma}
             : SmallVector<GemmDot>{GemmDot::Pairs};
}

} // namespace

double estimateMicroseconds(const GemmGeometry &g,
                            const DeviceProfile &profile) {
  const kernel::GemmShape &gemm = g.gemm;
  bool wide = profile.has("avx512f");
  double perVector = wide ? 1 : 2; // instructions per 16 lanes
  // Cycles of one word of K of a tile, from a peak of 16-lane multiply-adds.
  double cyclesPerSecond = 3.5e9;
  double fmasPerCycle = profile.peakGflops / 3.5 / (2 * gemmLanes);
  double height = double(gemm.m) / std::max<int64_t>(g.tiles, 1);
  if (gemm.lhsType.isInteger()) {
    // Quads are multiplied as fast as elements of f32; a pair takes three
    // instructions of 8 lanes each. Counted, not measured.
    fmasPerCycle *= g.schedule.dot == GemmDot::Quads ? 1 : 0.25;
  } else if (g.schedule.dot == GemmDot::Pairs && profile.pairGflops > 0) {
    // A word is two elements of K then.
    fmasPerCycle *= profile.pairGflops / (2 * profile.peakGflops);
  }
  // Of quads, also what each column has too much.
  bool isQuads = g.schedule.dot == GemmDot::Quads;
  double fma = (height + isQuads) * g.vectors() / fmasPerCycle;
  bool widened = g.schedule.dot == GemmDot::Fma && !gemm.lhsType.isF32();
  double convert = widened ? (g.schedule.packLhs ? 0 : height) : 0;
  if (gemm.lhsType.isF16()) {
    // Instructions that widen f16 take turns with multiply-adds: on Zen 4 words
    // took 8 to 11 cycles more for 6 to 8 rows, so that 31x508x255 took 1.7
    // times as long as with rows that are widened once, while they are packed.
    fma += 1.4 * convert;
    if (!StringRef(profile.tuneCpu).starts_with("znver")) {
      // An Intel core widens a vector of rhs by two instructions in the units
      // that multiply and add: 6x64 and 8x48 took 1.18 and 1.10 times as long
      // as 16x16 (286x253x996, 1465x1000x768).
      fma += 2 * g.vectors() / fmasPerCycle;
    } else {
      // Measured on Zen 4, without a cause found: 8x32 to 14x32 took 1.6 to 2.3
      // cycles more a word, 4x64 1.1 to 2.6; others 0.1 to 0.9.
      fma += g.vectors() == 2 ? 1.8 : height > 1 && height <= 4 ? 1.3 : 0.4;
    }
  }
  double loads = (g.vectors() * perVector * (widened ? 2 : 1) + height) / 2;
  // Short accumulation chains wait for the latency of the multiply-add.
  double latency = 4;
  double cycles = std::max({fma, loads + convert, latency}) + 0.03 * loads;
  // Rows of lhs a multiple of the page apart fall into the same L1 sets.
  int64_t rowBytes =
      gemm.lhsStrideM * (gemm.lhsType.getIntOrFloatBitWidth() / 8);
  if (!g.schedule.packLhs && gemm.lhsStrideK == 1 && height > 8 &&
      rowBytes % 4096 == 0) {
    cycles *= 1.12;
  }
  // Sums, a row of rhs and a broadcast in all registers but one: LLVM spills.
  // Of 16 registers 3x32 needs 17: it took 1.39 times as long as 6x16 on Zen 3
  // (128x768x3072, 64 and 46 GFLOP/s), and so do the tallest tiles of 7 rows:
  // 1.13 to 1.19 times as long as 4x16 (7x768x64, 7x640x64 bf16).
  double tallest = wide ? height : std::ceil(height);
  double registers =
      (tallest + 1 + isQuads) * g.vectors() * perVector + 1 + isQuads;
  if (height > 1 && registers > (wide ? 30 : 16)) {
    cycles *= wide ? 1.04 : 1.4;
  }
  // Among equals the narrower panel: its stream is easier to prefetch.
  cycles *= 1 + 0.001 * double(g.vectors());
  // Epilogue and call of a tile.
  double perTile = g.kWords * cycles + 30 + 2 * height * g.vectors();
  double work = perTile * g.tiles * g.panels * g.batches;
  if (g.schedule.packLhs) {
    double times = g.schedule.splitN ? profile.threads : 1;
    work += times * g.batches * g.tiles * g.packedWords * g.packedRows * 0.5;
  }

  // The panel of a jt order should stay in L2 while the tiles of a block pass,
  // and the block of tiles in L2 while the panels pass.
  double panelBytes =
      double(g.panelElements()) * (gemm.rhsType.getIntOrFloatBitWidth() / 8);
  double blockBytes =
      double(std::min(g.blockTiles, std::max<int64_t>(g.tiles, 1))) * height *
      g.kWords * 4;
  double rhsBytes = panelBytes * g.panels;
  // With the slow L3 of Emerald Rapids what does not lie well inside L2 is
  // slower than oneDNN, which blocks K as well. Most took 6 to 20 % longer in
  // tunings side by side: 64x4096x4096 18.9 to 20.8 ms and oneDNN 17.9,
  // 2048x2048x2048 from 104 ms on and oneDNN 99.6.
  bool slowL3 = waitsForL3(profile);
  // Beside a panel that is fetched there are two.
  double inL2 = blockBytes + panelBytes * (g.schedule.prefetch ? 2 : 1);
  if (inL2 > (slowL3 ? 0.63 : 1) * profile.l2Bytes) {
    work *= slowL3 ? 1.15 : 1.015;
  }
  // A thread gets a contiguous share of the grid.
  int64_t grid = std::max<int64_t>(g.grid(), 1);
  int64_t share = llvm::divideCeil(grid, std::max(profile.threads, 1));
  double slowest = double(share) / double(grid);
  int workers = int(llvm::divideCeil(grid, share));
  // Workers that divide M each read all panels, once for each of their blocks.
  int64_t tiles = std::max<int64_t>(g.tiles, 1);
  int64_t blocks =
      g.schedule.splitN
          ? llvm::divideCeil(tiles, g.blockTiles)
          : workers * llvm::divideCeil(llvm::divideCeil(tiles, workers),
                                       g.blockTiles);
  double traffic = rhsBytes * g.batches *
                   double(g.schedule.panelsOutside ? blocks : g.tiles);
  double compute = work * slowest / cyclesPerSecond;
  double ofWorker = rhsBytes * (g.schedule.splitN ? slowest : 1);
  double bandwidth = weightBandwidthGBs(profile, rhsBytes, workers, ofWorker);
  double memory = traffic / (1e9 * bandwidth);
  // Of the shorter, what is not hidden.
  double shown = slowL3 && !g.schedule.prefetch ? 0.4 : 0.1;
  double seconds =
      std::max(compute, memory) + shown * std::min(compute, memory);
  if (g.schedule.prefetch && lieInL2(profile, ofWorker)) {
    // In vain: 1x1024x768 in f32 on two threads of Emerald Rapids took 26 to
    // 33 us with prefetches, 15 to 18 without.
    seconds *= 1.7;
  } else if (g.schedule.prefetch && memory > compute) {
    // There is nothing to fetch behind: 1x1024x1024 and 1x4096x1024 in f32 and
    // 1x4096x1024 in f16 on one thread of Emerald Rapids took 1.22 to 1.23
    // times as long as the same tile without.
    seconds *= 1.2;
  }
  return 1e6 * seconds + (workers > 1 ? profile.joinUs : 0);
}

std::vector<EstimatedSchedule>
enumerateSchedules(const kernel::FusionShape &shape,
                   const DeviceProfile &profile, size_t limit) {
  const kernel::GemmShape &gemm = *shape.gemm;
  bool wide = profile.has("avx512f"), all = profile.asksForAll();
  SmallVector<GemmDot> products = dotsFor(gemm.lhsType, profile);
  std::vector<EstimatedSchedule> found;
  SmallVector<GemmPackedSchedule> seen;
  auto consider = [&](GemmPackedSchedule schedule) {
    FailureOr<GemmGeometry> g = GemmGeometry::get(shape, schedule, nullptr);
    if (failed(g)) {
      return;
    }
    // Give equal code one name: the tile that M really has, blocks that M
    // really needs, an order only where there is more than one of each.
    schedule.mr = std::max<int64_t>(g->height + (g->tallTiles > 0), 1);
    if (g->blockTiles >= g->tiles) {
      schedule.tc = 0;
    }
    if (g->tiles <= 1 || g->panels <= 1) {
      schedule.panelsOutside = true;
    }
    // One piece is taken by one thread anyway, and what takes long is better
    // shared whatever the team costs.
    double microseconds = estimateMicroseconds(*g, profile);
    if (schedule.alone &&
        (g->pieces() <= 1 || (!all && microseconds > 8 * profile.joinUs))) {
      return;
    }
    if (llvm::is_contained(seen, schedule)) {
      return;
    }
    seen.push_back(schedule);
    found.push_back({schedule, microseconds});
  };

  auto considerShares = [&](GemmPackedSchedule schedule) {
    consider(schedule);
    if (profile.threads > 1) {
      schedule.alone = true;
      consider(schedule);
      schedule.alone = false;
      schedule.splitN = false;
      consider(schedule);
    }
  };

  // Elsewhere searches of neighbours and of all measure it.
  bool prefetches = all || waitsForL3(profile);
  int64_t columns = llvm::alignTo(std::max<int64_t>(gemm.n, 1), gemmLanes);
  for (RegisterTile tile : registerTiles(gemm.m, wide, all)) {
    // Panels far wider than N would only be padding.
    int64_t nr = std::min(tile.nr, columns);
    for (bool packLhs : {false, true}) {
      if (!all && packLhs && gemm.m <= 2 && gemm.lhsStrideK == 1) {
        continue;
      }
      for (int64_t tc : {0, 8, 20, 32}) {
        for (bool panelsOutside : {true, false}) {
          for (GemmDot dot : products) {
            considerShares({tile.mr, nr, 4, packLhs, tc, panelsOutside, true,
                            dot, /*alone=*/false});
            if (panelsOutside && prefetches) {
              considerShares({tile.mr, nr, 4, packLhs, tc, panelsOutside, true,
                              dot, /*alone=*/false, /*prefetch=*/true});
            }
          }
        }
      }
    }
  }
  llvm::sort(found, [](const auto &a, const auto &b) {
    // Equal estimates in a fixed order: the first one is what is used where
    // nothing was measured.
    return std::pair(a.microseconds, toString(a.schedule)) <
           std::pair(b.microseconds, toString(b.schedule));
  });
  if (!all && found.size() > limit) {
    found.resize(limit);
  }
  return found;
}

} // namespace minic::cpu
