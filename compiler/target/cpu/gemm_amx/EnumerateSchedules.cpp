// SPDX-License-Identifier: Apache-2.0
//
// A grid of packing, blocks and hints, ranked by an estimate.

#include "compiler/target/cpu/gemm_amx/EnumerateSchedules.h"

#include "compiler/target/cpu/WeightBandwidth.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace minic::cpu {

/// How much longer a kernel takes than its tile products would, by what a C
/// kernel of the same structure took with and without each of these on a Xeon
/// with 2 MB of L2 (bf16, 256x1024x1024, 2048x2048x2048, 32x256x256).
static double slowdown(const GemmAmxGeometry &g) {
  const GemmAmxSchedule &schedule = g.schedule;
  bool fewRows = g.blocks == 1;
  double factor = 1;
  int64_t rowBytes = g.factorBytes() * g.gemm.k;
  if (!schedule.packLhs && !fewRows) {
    // Lines of 64 bytes are split, or many rows share a set of L1.
    factor *= rowBytes % 64 != 0                               ? 1.15
              : llvm::isPowerOf2_64(rowBytes) && g.panels >= 8 ? 1.25
                                                               : 1;
  }
  // Rows that all panels pass by stay in L2 together with a panel, and where
  // they are packed with what they are packed from: on a Xeon with 2 MB of L2
  // blocks of 4, 8 and 11 took 3.21, 3.55 and 3.78 ms for 6298 rows of 64
  // columns of 1280, and 4 and 8 took 3.59 and 3.97 for 4927 of 128 of 2048.
  constexpr double l2Bytes = 1.2e6, packedBytes = 0.5e6;
  double bytes = g.image ? double(g.factorBytes() * g.packedElements())
                         : double(std::min(g.blocks, g.blocksAtATime)) *
                               double(blockRows) * double(rowBytes);
  if (schedule.packLhs && !g.windows && bytes > packedBytes) {
    factor *= 1 + 0.13 * std::log2(std::min(bytes, l2Bytes) / packedBytes);
  }
  if (bytes > l2Bytes) {
    factor *= 1 + std::min(1.0, 0.35 * std::log2(bytes / l2Bytes));
  }
  // Less of a panel in L1 than fits there.
  factor *= schedule.resident == 12 && g.steps > 12 ? 1.03 : 1;
  // A prefetch of the next panel helps where a panel lasts.
  factor *= fewRows == schedule.prefetch ? (fewRows ? 1.2 : 1.12) : 1;
  return factor;
}

/// Cycles that packing all of lhs once takes. Those of a line of 64 bytes are
/// what C kernels took on that Xeon; those of a window are its counted
/// instructions. All schedules of a convolution by windows pack, so they only
/// decide between this and other families. 7x7 of 3 channels with a stride of 2
/// is estimated at 0.42 ms and took 0.54 (docs/measurements/2026-11-27-amx.md)
/// on a Xeon where 256x1024x1024 took 1.2 times its estimate, too. What other
/// values would change is on docs/measurements/2026-11-28-constants.md.
static double packCycles(const GemmAmxGeometry &g) {
  constexpr double perLine = 3, perWindow = 30;
  double rows = double(g.batches) * double(g.rows());
  if (g.image) {
    return rows * double(g.image->conv.inputChannels) / double(g.tileDepth()) *
           perLine;
  }
  return rows * (double(g.steps) * perLine + (g.windows ? perWindow : 0));
}

/// Microseconds that the epilogue's reads and writes take where they are more
/// than L2 holds. Blocks that a panel meets before the next one are written a
/// line of 64 bytes of a row at a time: lines of one row lie in L2 until the
/// last panel wrote its own, or are far apart. On a Xeon with 2 MB of L2,
/// 1x1x64 to 256 channels of 56x56 pixels with a residual took 570 us for
/// blocks of 4, 684, 813, 863 us for 8, 11 and all; 4096x768x128 2.59 ms for 4
/// and 3.5 to 3.6 for others. 1173x1024x64 on two threads took 1.29 times as
/// long where they divided columns and so wrote parts of the same rows.
static double epilogueUs(const kernel::FusionShape &shape,
                         const GemmAmxGeometry &g,
                         const DeviceProfile &profile) {
  constexpr double l2Bytes = 1.2e6, nearNs = 0.06, apartNs = 0.11;
  double perElement = 0;
  auto add = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getNumElements() == llvm::product_of(shape.space)) {
      perElement += double(kernel::getElementBytes(type.getElementType()));
    }
  };
  llvm::for_each(shape.epilogueInputs, add);
  llvm::for_each(shape.results, add);
  double bytes = perElement * double(llvm::product_of(shape.space));
  if (bytes < l2Bytes) {
    return 0;
  }
  int64_t rows = std::min(g.blocks, g.blocksAtATime) * blockRows;
  bool isNear = perElement * double(rows * g.gemm.n) < 0.3 * l2Bytes;
  double shared = g.schedule.splitN && profile.threads > 1 ? 1.4 : 1;
  return bytes * (isNear ? nearNs : apartNs) * shared * 1e-3;
}

double estimateMicroseconds(const kernel::FusionShape &shape,
                            const GemmAmxGeometry &g,
                            const DeviceProfile &profile) {
  // Tiles make 1024 operations a cycle and 2550 GFLOP/s (CpuProfile.cpp). So
  // 256x1024x1024 is estimated at 305 us; it took 290 on one Xeon and 368 on
  // another (docs/measurements/2026-11-24-amx.md, 2026-11-26-amx.md).
  constexpr double clock = 2.49e9;
  double blocks = double(g.blocks) - (g.lastTiles() == 1 ? 0.5 : 0);
  double perStep = g.blocks == 1 ? 50 : 85; // of two by two tiles
  double cycles =
      double(g.batches * g.panels) * blocks * (double(g.steps) * perStep + 80);
  if (g.schedule.packLhs) {
    double times = g.schedule.splitN ? profile.threads : 1;
    cycles += times * packCycles(g);
  }
  int64_t grid = std::max<int64_t>(g.grid(), 1);
  int64_t share = llvm::divideCeil(grid, std::max(profile.threads, 1));
  double slowest = double(share) / double(grid);
  int workers = int(llvm::divideCeil(grid, share));
  double rhsBytes = double(g.factorBytes() * g.packedRhsElements());
  double rounds =
      double(llvm::divideCeil(std::max<int64_t>(g.blocks, 1), g.blocksAtATime));
  double compute = cycles * slowest * slowdown(g) / clock;
  double ofWorker = rhsBytes * (g.schedule.splitN ? slowest : 1);
  double bandwidth = weightBandwidthGBs(profile, rhsBytes, workers, ofWorker);
  double memory = rhsBytes * double(g.batches) * rounds / (1e9 * bandwidth) +
                  1e-6 * epilogueUs(shape, g, profile) / workers;
  // Tiles are configured, and a first tilestore stalls: 1x64x1280 took
  // 1.65 to 3.7 us.
  constexpr double beginUs = 0.9;
  return 1e6 * (std::max(compute, memory) + 0.3 * std::min(compute, memory)) +
         beginUs + (workers > 1 ? profile.joinUs : 0);
}

std::vector<EstimatedAmxSchedule>
enumerateAmxSchedules(const kernel::FusionShape &shape,
                      const DeviceProfile &profile, size_t limit) {
  // Beyond this, far more than L2 holds, only the fewest blocks are packed at a
  // time: scratch is each thread's.
  constexpr int64_t mostPackedBytes = int64_t(64) << 20, fewestBlocks = 4;
  bool all = profile.asksForAll();
  std::vector<EstimatedAmxSchedule> found;
  SmallVector<GemmAmxSchedule> seen;
  auto consider = [&](GemmAmxSchedule schedule) {
    FailureOr<GemmAmxGeometry> g =
        GemmAmxGeometry::get(shape, schedule, nullptr);
    if (failed(g) ||
        (g->factorBytes() * g->packedElements() > mostPackedBytes &&
         schedule.mc != fewestBlocks)) {
      return;
    }
    // Give equal code one name.
    if (g->blocksAtATime >= g->blocks) {
      schedule.mc = 0;
    }
    schedule.resident = std::min(schedule.resident, g->steps);
    double microseconds = estimateMicroseconds(shape, *g, profile);
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
  bool fewRows = shape.gemm->m <= blockRows;
  for (bool packLhs : {false, true}) {
    for (int64_t mc : {int64_t(0), fewestBlocks, int64_t(8), int64_t(11)}) {
      for (int64_t resident : {0, 12, 18}) {
        if ((resident == 0) != fewRows) {
          continue;
        }
        for (int64_t rows : {2, 4}) {
          for (bool prefetch : {false, true}) {
            GemmAmxSchedule schedule = {packLhs, mc,       resident,
                                        rows,    prefetch, true};
            consider(schedule);
            if (profile.threads > 1) {
              schedule.alone = true;
              consider(schedule);
              schedule.alone = false;
              schedule.splitN = false;
              consider(schedule);
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
