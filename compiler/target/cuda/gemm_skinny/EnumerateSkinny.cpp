// SPDX-License-Identifier: Apache-2.0
//
// The time is that of reading the weights, if enough bytes are in flight and
// every SM has its share; the rest is latency.

#include "compiler/target/cuda/gemm_skinny/EnumerateSkinny.h"

#include "compiler/target/cuda/BodyEvaluator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <set>

using namespace mlir;

namespace minic::cuda {

/// Latency of a loaded memory system: so many bytes must be in flight.
constexpr double kLatencyUs = 0.8;
/// What is reached of the memory's peak: 117 MB of weights took 40.3 us on an
/// H100.
constexpr double kReachedOfMemory = 0.88;
/// Launch, first loads and the sums' way through shared memory, as it was
/// measured on an H100: 1.5 us for 768 columns of 768, 1.9 for 2304.
constexpr double kFixedUs = 0.8;
/// For each eight rows beyond the first: their sums' way, and their loads. 1000
/// columns of 768 took 3.0 us with 32 rows.
constexpr double kRowTileUs = 0.35;
/// The same of plain float32: with 13 to 16 rows 513 columns of 129 took 4.0 to
/// 5.5 us on an H200, 128 of 1000 2.5 to 3.7 and 1024 of 1024 4.2 to 5.
constexpr double kFfmaRowTileUs = 3.2;
/// Every block reads the lhs from L2, most of it while weights are awaited. The
/// rest takes as long as if all came at this rate: with 16 rows 4096 columns of
/// 11008 took 43.4 us, of which weights are 31
/// (docs/measurements/2026-11-26-cuda-4.md).
constexpr double kExposedLhsGBs = 12222;
/// Of a prologue: a row's way from L2, and through two sums over a block. With
/// a layer norm 2304 columns of 768 took 2.5 us, without 1.9
/// (docs/measurements/2026-11-26-cuda-4.md): a norm takes 0.6 with its
/// arithmetic. A prologue without sums was not timed by itself; what it might
/// take and no choice change is on docs/measurements/2026-11-28-constants.md.
constexpr double kLoadUs = 0.3, kNormUs = 0.5;
/// Behind it the next weights are asked for, unless all were before it.
constexpr double kDrainedUs = 0.4;
/// Of a norm, for each element; what an SM executes in a cycle.
constexpr double kNormInstructions = 12, kLanesPerSm = 128;
/// A warp's products of a chunk, one after the other: on an H100 a warp with 24
/// chunks took 1.3 us more for 768 columns than eight warps with three.
constexpr double kChunkUs = 0.06;
/// A round trip to the counters and the other blocks' sums; sums sent to a
/// cluster's first block: three products of one row took 0.3 to 1.1 us less
/// than with 1.1 here on an H100 and an H200.
constexpr double kSplitUs = 1.4, kClusterUs = 0.7;

static double estimate(const SkinnyGeometry &g, const DeviceProfile &profile) {
  double sms = std::max(1, profile.smCount);
  double bytesPerUs = kReachedOfMemory * std::max(1.0, profile.memoryGBs) * 1e3;
  double weights = double(g.gemm.n) * double(g.pitch()) * g.elementBytes;
  int64_t blocks = std::max<int64_t>(1, g.tiles() * g.schedule.split);
  double perSm = std::ceil(double(blocks) / sms);
  double resident = std::min<double>(perSm, double(g.minBlocksPerSm()));
  // Two batches per thread, but not more than there are.
  double streams = double(g.schedule.warps * g.schedule.split);
  double batches = std::max(1.0, double(g.gemm.k) / double(g.batchK()));
  double perWarp = std::ceil(batches / streams);
  auto stages = double(g.schedule.stages);
  double inFlight = resident * double(g.threads()) * std::min(stages, perWarp) *
                    double(g.schedule.unroll) * double(g.loadsPerChunk()) * 16;
  double needed = bytesPerUs * kLatencyUs / sms;
  double rate = 1 / (1 + 0.25 * needed / inFlight);
  // Warps and SMs that have less than others are idle at the end, when the
  // others get somewhat more than their share of the bandwidth.
  double uneven = perWarp * streams / batches;
  double unevenSms = perSm * sms / double(blocks);
  // In float32 1280 columns of 3420 took 4.1 to 4.8 us on an H200 by 640
  // blocks, and 5.1 to 6.1 by 320 or 160.
  bool isFfma = g.schedule.math == SkinnyMath::Ffma;
  unevenSms = isFfma ? std::pow(unevenSms, 0.7) : unevenSms / 1.5;
  double memoryUs =
      weights / bytesPerUs / rate * std::max({1.0, unevenSms, uneven / 1.05});
  double computeUs = 0;
  if (isFfma && profile.peakGflops > 0) {
    computeUs = 2e-3 * double(g.gemm.m) * double(g.gemm.n) * double(g.gemm.k) /
                (0.6 * profile.peakGflops);
  }
  double chainUs = kChunkUs * (0.5 + 0.5 * double(g.rowTiles())) * perWarp *
                   double(g.schedule.unroll);
  double lhsBytes =
      double(g.tiles()) * double(g.gemm.m) * double(g.pitch()) * g.elementBytes;
  double waves = std::ceil(perSm / resident);
  return kFixedUs +
         (isFfma ? kFfmaRowTileUs : kRowTileUs) * double(g.rowTiles() - 1) +
         std::max({memoryUs, computeUs, waves * chainUs}) +
         // Behind the last copies; other blocks' begin meanwhile.
         (waves > 1 ? 0.5 : 1) * chainUs +
         (g.schedule.clustered   ? kClusterUs
          : g.schedule.split > 1 ? kSplitUs
                                 : 0) +
         lhsBytes / (kExposedLhsGBs * 1e3) -
         (g.schedule.programmatic ? 0.8 : 0);
}

/// By so much twins are ranked of which one lets the next launch begin late:
/// behind a norm the late one comes first, else the early one. GPT-2's step
/// took 153 us so on an H200, 161 with none late and 164 with all late.
constexpr double kLateUs = 0.05, kLateNormUs = -0.05;

static double lateUs(const SkinnyFusion &fusion, const SkinnySchedule &s) {
  bool isNorm = fusion.prologue && fusion.prologue->rows;
  return !s.late ? 0 : isNorm ? kLateNormUs : kLateUs;
}

/// What a prologue adds: every block loads the rows and, for a norm, passes
/// over them, before its first products. Weights arrive in the meantime.
static double makeLhsUs(const SkinnyFusion &fusion, const SkinnyGeometry &g,
                        const DeviceProfile &profile) {
  if (!fusion.prologue) {
    return 0;
  }
  double sms = std::max(1, profile.smCount);
  double blocks = std::max(1.0, double(g.tiles() * g.schedule.split));
  double resident =
      std::min(std::ceil(blocks / sms), double(g.minBlocksPerSm()));
  double waves = std::ceil(blocks / (sms * resident));
  bool isNorm = fusion.prologue->rows.has_value();
  double instructions =
      isNorm
          ? kNormInstructions
          : 2 + double(BodyEvaluator::instructionCount(fusion.prologue->ops));
  double perWave = double(g.gemm.m * g.gemm.k) * instructions * resident /
                   kLanesPerSm / std::max(500.0, profile.clockMHz);
  double batches = std::ceil(double(g.gemm.k) / double(g.batchK()));
  bool areAllUnderWay = batches <= double(g.schedule.warps * g.schedule.split);
  // Other blocks' weights arrive while those of later waves are made.
  return (1 + 0.25 * (waves - 1)) * ((isNorm ? kNormUs : kLoadUs) + perWave +
                                     (areAllUnderWay ? 0 : kDrainedUs));
}

static bool isFaster(const EstimatedSkinny &a, const EstimatedSkinny &b) {
  return std::pair(a.microseconds, toString(a.schedule)) <
         std::pair(b.microseconds, toString(b.schedule));
}

/// The best of each width, with one batch under way and with more, come first:
/// how these compare is what the estimate knows least of plain arithmetic. Four
/// rows of 3072 by 3072 columns took 6.9 us on an H200 with four columns, one
/// batch and later launches late, which the estimate has behind 126 others; the
/// best of those that it has first took 8.0. Returns how many these are.
static size_t putVarietyFirst(std::vector<EstimatedSkinny> &sorted) {
  std::set<std::pair<int64_t, bool>> seen;
  std::vector<EstimatedSkinny> firsts, others;
  for (const EstimatedSkinny &one : sorted) {
    bool isNew =
        seen.insert({one.schedule.columns, one.schedule.hasOneBatch()}).second;
    (isNew ? firsts : others).push_back(one);
  }
  size_t count = firsts.size();
  firsts.insert(firsts.end(), others.begin(), others.end());
  sorted = std::move(firsts);
  return count;
}

std::vector<EstimatedSkinny> enumerateSkinny(const SkinnyFusion &fusion,
                                             const DeviceProfile &profile,
                                             size_t limit) {
  std::vector<EstimatedSkinny> found;
  auto consider = [&](const SkinnySchedule &schedule) {
    FailureOr<SkinnyGeometry> g =
        SkinnyGeometry::get(fusion, schedule, nullptr);
    if (succeeded(g)) {
      found.push_back({schedule, estimate(*g, profile) +
                                     makeLhsUs(fusion, *g, profile) +
                                     lateUs(fusion, schedule)});
    }
  };
  bool is16 = !fusion.shape.gemm->lhsType.isF32();
  SkinnyMath math = is16                ? SkinnyMath::Mma16
                    : profile.allowTf32 ? SkinnyMath::MmaTf32
                                        : SkinnyMath::Ffma;
  SmallVector<int64_t> columns = {16, 32};
  if (math == SkinnyMath::Ffma) {
    columns = {2, 4, 8};
  }
  // With 3 and 6 as well, all weights of a K of 768 or 3072 can be under way
  // before the lhs is there.
  constexpr int64_t unrolls[] = {1, 2, 3, 4, 6, 8};
  bool canOverlap = profile.smVersion >= 90;
  for (int64_t width : columns) {
    for (int64_t warps : {1, 2, 4, 8, 16}) {
      for (int64_t split : {1, 2, 3, 4, 8}) {
        for (int64_t unroll : unrolls) {
          for (int64_t stages : {1, 2, 3, 4}) {
            SkinnySchedule schedule{math,  width,  warps,  split,
                                    false, unroll, stages, canOverlap};
            FailureOr<SkinnyGeometry> g =
                SkinnyGeometry::get(fusion, schedule, nullptr);
            // Warps without a batch of their own only wait for the others;
            // nothing fills more stages.
            int64_t atOnce = warps * split * stages;
            if (failed(g) || (atOnce > 1 && g->fullBatches() < atOnce)) {
              continue;
            }
            consider(schedule);
            // Clusters are for what does not fill the device otherwise.
            bool fits = g->tiles() * split <= profile.smCount;
            if (split > 1 && canOverlap && (fits || profile.asksForAll())) {
              schedule.clustered = true;
              consider(schedule);
            }
          }
        }
      }
    }
  }
  if (found.empty()) {
    consider({math, columns.front(), 1, 1, false, 1, 1, canOverlap});
  }
  llvm::sort(found, isFaster);
  bool all = profile.asksForAll();
  size_t late = 2, alone = 2;
  if (!all && math == SkinnyMath::Ffma) {
    late = std::max(late, putVarietyFirst(found));
  }
  if (!all && found.size() > limit - late - alone) {
    found.resize(limit - late - alone);
  }
  // The first ones with later launches late too, and without overlap: it costs
  // a little where nothing is to be overlapped with.
  for (size_t i = 0, count = found.size(); canOverlap && i != count; ++i) {
    SkinnySchedule other = found[i].schedule;
    if (all || i < late) {
      other.late = true;
      consider(other);
    }
    if (all || i < alone) {
      other.late = other.programmatic = false;
      consider(other);
    }
  }
  llvm::sort(found, isFaster);
  return found;
}

} // namespace minic::cuda
