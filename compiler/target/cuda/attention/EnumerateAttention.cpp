// SPDX-License-Identifier: Apache-2.0
//
// Many rows: blocks of rows are spread over warps, or over warp groups where
// there is wgmma. Few rows: warps share the keys of a block, and blocks those
// of a head.

#include "compiler/target/cuda/attention/EnumerateAttention.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;

namespace minic::cuda {

/// With mma.sync alone, and with wgmma too; then a few of each, whatever the
/// estimates.
constexpr size_t kMostSchedules = 12, kMostOfBoth = 16, kLeastOfEach = 4;
constexpr int64_t kMostRegisters = 256;

namespace {

class Enumeration {
public:
  Enumeration(const AttentionFusion &fusion, const DeviceProfile &profile)
      : fusion(fusion), profile(profile) {}

  std::vector<EstimatedAttention> run() {
    // How warps share a block: rows, tiles of rows, keys.
    constexpr int64_t shapes[][3] = {{4, 1, 1}, {8, 1, 1}, {4, 2, 1},
                                     {2, 1, 1}, {2, 2, 1}, {2, 1, 2},
                                     {1, 1, 1}, {1, 1, 2}, {1, 1, 4}};
    for (const auto &[warps, rowTiles, keyWarps] : shapes) {
      for (int64_t keyBlock : {16, 32, 64, 128}) {
        for (int64_t stages : {1, 2, 3}) {
          AttentionSchedule schedule;
          schedule.warps = warps;
          schedule.rowTiles = rowTiles;
          schedule.keyWarps = keyWarps;
          schedule.keyBlock = keyBlock;
          schedule.stages = stages;
          schedule.programmatic = profile.smVersion >= 90;
          withPacking(schedule);
        }
      }
    }
    if (profile.cpu == "sm_90a") {
      addWarpGroups();
    }
    return best();
  }

private:
  void addWarpGroups() {
    for (int64_t warps : {4, 8, 12}) {
      for (int64_t keyBlock : {32, 64, 128}) {
        for (int64_t stages : {2, 3}) {
          for (bool ahead : {false, true}) {
            AttentionSchedule schedule;
            schedule.warps = warps;
            schedule.keyBlock = keyBlock;
            schedule.stages = stages;
            schedule.wgmma = true;
            schedule.ahead = ahead;
            schedule.programmatic = true;
            withPacking(schedule);
          }
        }
      }
    }
  }

  std::vector<EstimatedAttention> best() {
    llvm::sort(found, [](const auto &a, const auto &b) {
      return std::pair(a.microseconds, toString(a.schedule)) <
             std::pair(b.microseconds, toString(b.schedule));
    });
    if (profile.asksForAll()) {
      return std::move(found);
    }
    dropSimilar();
    auto isWgmma = [](const auto &one) { return one.schedule.wgmma; };
    auto ofWgmma = size_t(llvm::count_if(found, isWgmma));
    size_t most = ofWgmma ? kMostOfBoth : kMostSchedules;
    // What is left of each once the others have their least number.
    size_t left[] = {most - std::min(ofWgmma, kLeastOfEach),
                     most - std::min(found.size() - ofWgmma, kLeastOfEach)};
    std::vector<EstimatedAttention> best;
    for (const EstimatedAttention &one : found) {
      size_t &ofForm = left[isWgmma(one)];
      if (ofForm > 0 && best.size() < most) {
        --ofForm;
        best.push_back(one);
      }
    }
    return best;
  }

  /// Of wgmma's that differ in stages alone keeps the first: how warp groups
  /// and blocks of keys compare is what the estimate is least sure of.
  void dropSimilar() {
    std::set<std::string> seen;
    llvm::erase_if(found, [&](const EstimatedAttention &one) {
      AttentionSchedule same = one.schedule;
      same.stages = 0;
      return same.wgmma && !seen.insert(toString(same)).second;
    });
  }

  void withPacking(AttentionSchedule schedule) {
    withSplits(schedule);
    if (fusion.headsPerKey() > 1 && fusion.rows < schedule.rowBlock()) {
      schedule.packs = true;
      withSplits(schedule);
    }
  }

  /// Enough blocks for every SM once or twice.
  void withSplits(AttentionSchedule schedule) {
    add(schedule);
    std::string reason;
    auto g = AttentionGeometry::get(fusion, schedule, reason);
    if (failed(g)) {
      return;
    }
    int64_t sms = std::max(profile.smCount, 1);
    std::set<int64_t> splits;
    for (int64_t wanted : {sms, 2 * sms, 4 * sms}) {
      splits.insert(std::clamp<int64_t>(
          wanted / g->blocks(), 1, std::min<int64_t>(g->keyBlocks(), 128)));
    }
    for (int64_t split = 2; profile.asksForAll() && split <= 128; split *= 2) {
      if (split <= g->keyBlocks()) {
        splits.insert(split);
      }
    }
    for (int64_t split : splits) {
      if (split > 1) {
        schedule.split = split;
        add(schedule);
      }
    }
    if (splits.upper_bound(1) != splits.end()) {
      withClusters(schedule, *g);
    }
  }

  /// For what does not fill the device otherwise: on an H100 a decode step of
  /// 32 heads took 4.8 us as 64 blocks in clusters of eight, and 7.6 as 256.
  void withClusters(AttentionSchedule schedule, const AttentionGeometry &g) {
    if (profile.smVersion < 90 || schedule.wgmma) {
      return;
    }
    schedule.clustered = true;
    for (int64_t split : {2, 4, 8}) {
      bool fits = g.blocks() * split <= profile.smCount;
      if (split <= g.keyBlocks() && (fits || profile.asksForAll())) {
        schedule.split = split;
        add(schedule);
      }
    }
  }

  /// Beyond these the assembler spills.
  int64_t mostRegisters(const AttentionSchedule &schedule) const {
    return schedule.wgmma
               ? std::min<int64_t>(profile.registersPerSm / schedule.threads(),
                                   kMostRegisters)
               : kMostRegisters;
  }

  void add(const AttentionSchedule &schedule) {
    std::string reason;
    auto g = AttentionGeometry::get(fusion, schedule, reason);
    if (failed(g) || g->sharedBytes() > profile.sharedBytesPerBlock ||
        g->registers() > mostRegisters(schedule) ||
        g->blocksPerSm(profile) < 1 ||
        g->workspaceBytes() > profile.workspaceLimit) {
      return;
    }
    // Few keys where sums leave few registers. There the assembler spilled with
    // one stage, whatever the keys.
    bool isLarge = g->value.padded > 128;
    bool all = profile.asksForAll();
    if ((schedule.keyBlock < 32 && !isLarge && !all) ||
        (schedule.stages == 1 && !g->keepsQuery())) {
      return;
    }
    // Tiles of which more than half would be padding, and stages and turns
    // that there are no keys for.
    auto isMostlyPadding = [](int64_t block, int64_t count, int64_t least) {
      return block > least && block / 2 >= int64_t(llvm::alignTo(count, least));
    };
    int64_t perBlock =
        int64_t(llvm::divideCeil(g->keyBlocks(), schedule.split));
    if (isMostlyPadding(schedule.rowBlock(), g->rows(), 16) ||
        isMostlyPadding(schedule.keyBlock, fusion.keys, 32) ||
        schedule.stages > std::max<int64_t>(perBlock, 1) ||
        (schedule.ahead && perBlock == 1)) {
      return;
    }
    found.push_back({schedule, estimateMicroseconds(*g, profile)});
    if (all && schedule.programmatic) {
      found.push_back(found.back());
      found.back().schedule.programmatic = false;
    }
  }

  const AttentionFusion &fusion;
  const DeviceProfile &profile;
  std::vector<EstimatedAttention> found;
};

} // namespace

std::vector<EstimatedAttention>
enumerateAttention(const AttentionFusion &fusion,
                   const DeviceProfile &profile) {
  return Enumeration(fusion, profile).run();
}

} // namespace minic::cuda
