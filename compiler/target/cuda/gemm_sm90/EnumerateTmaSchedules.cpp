// SPDX-License-Identifier: Apache-2.0
//
// Tiles with as many stages as fit, as programmatic launches; the best of them
// as clusters that share operands; and, where there are more tiles than SMs,
// blocks that take them in turn.

#include "compiler/target/cuda/gemm_sm90/EnumerateTmaSchedules.h"

#include "compiler/target/cuda/gemm/ConvolutionView.h"

#include <map>
#include <set>

using namespace mlir;

namespace minic::cuda {

namespace {

struct Tile {
  int64_t bm, bn, warpGroupsM, warpGroupsN = 1, warpGroupsK = 1;

  GemmSm90Schedule schedule(int64_t splitK) const {
    GemmSm90Schedule made;
    made.bm = bm, made.bn = bn;
    made.warpGroupsM = warpGroupsM;
    made.warpGroupsN = warpGroupsN;
    made.warpGroupsK = warpGroupsK;
    made.splitK = splitK, made.clustered = splitK > 1;
    return made;
  }
};

/// A copy costs no thread anything, so small tiles with deep rings are worth
/// more than with cp.async.
const Tile tiles[] = {
    {64, 32, 1},     {64, 32, 1, 1, 2}, {64, 64, 1},   {64, 64, 1, 1, 2},
    {64, 96, 1},     {64, 128, 1},      {64, 144, 1},  {64, 192, 1},
    {64, 256, 1, 2}, {128, 64, 1},      {128, 64, 2},  {128, 96, 2},
    {128, 128, 1},   {128, 128, 2},     {128, 160, 2}, {128, 192, 2},
    {128, 224, 2},   {128, 256, 2},     {192, 96, 3},  {192, 128, 3},
    {192, 160, 3},   {192, 192, 3},     {256, 128, 2},
};

/// Of teams that take turns: a wider tile reads less of shared memory for a
/// product, a smaller one leaves a shorter last turn. The widest need registers
/// of the warps that copy.
struct PingPongTile {
  int64_t bm, bn, teamRegisters = 0;
};
const PingPongTile pingPongTiles[] = {
    {128, 192, 240}, {128, 160, 240}, {128, 128}, {64, 256},
    {128, 96},       {64, 192},       {64, 128},  {64, 64}};

/// Deepest first.
constexpr int64_t depths[] = {12, 8, 6, 5, 4, 3};

class TmaEnumeration {
public:
  TmaEnumeration(const kernel::FusionShape &shape, const DeviceProfile &profile)
      : shape_(shape), profile_(profile) {}

  std::vector<EstimatedSm90Schedule> found;

  void run() {
    for (const Tile &tile : tiles) {
      for (int64_t splitK : {1, 2, 4}) {
        for (bool padLhs : {false, true}) {
          GemmSm90Schedule schedule = tile.schedule(splitK);
          schedule.padLhs = padLhs;
          schedule.tma = true;
          schedule.convolves = readsImages(shape_);
          considerDepths(schedule);
        }
      }
    }
    sortByEstimate(found);
  }

  /// Blocks that stay, as many as there are SMs, where each has several tiles.
  std::vector<EstimatedSm90Schedule> pingPongs(bool keepsRhs) {
    std::vector<EstimatedSm90Schedule> made;
    for (const PingPongTile &tile : pingPongTiles) {
      for (bool padLhs : {false, true}) {
        GemmSm90Schedule schedule = pingPong(tile, keepsRhs);
        schedule.padLhs = padLhs;
        addDeepest(schedule, /*residents=*/1, made);
        if (keepsRhs) {
          // Beside which a block of the next launch finds room.
          addDeepest(schedule, /*residents=*/2, made);
        }
      }
    }
    sortByEstimate(made);
    return made;
  }

  /// Adds every one that fits, those that `run` and `pingPongs` leave out too.
  void addAll() {
    for (const Tile &tile : tiles) {
      for (int64_t splitK : {1, 2, 4}) {
        GemmSm90Schedule schedule = tile.schedule(splitK);
        addEveryDepth(schedule);
        schedule.multicastM = 2;
        addEveryDepth(schedule);
        schedule.multicastM = 1, schedule.multicastN = 2, schedule.group = 1;
        addEveryDepth(schedule);
      }
    }
    for (const PingPongTile &tile : pingPongTiles) {
      for (bool keepsRhs : {false, true}) {
        addEveryDepth(pingPong(tile, keepsRhs));
      }
    }
  }

  /// With its estimate; none where it cannot be.
  std::optional<EstimatedSm90Schedule> estimate(GemmSm90Schedule schedule) {
    auto g = GemmSm90Geometry::get(shape_, schedule, nullptr);
    if (failed(g) || g->misfit(profile_)) {
      return std::nullopt;
    }
    return EstimatedSm90Schedule{schedule, estimateMicroseconds(*g, profile_)};
  }

private:
  GemmSm90Schedule pingPong(const PingPongTile &tile, bool keepsRhs) {
    GemmSm90Schedule schedule;
    schedule.bm = tile.bm, schedule.bn = tile.bn;
    schedule.teamRegisters = tile.teamRegisters;
    schedule.warpGroupsM = 1;
    schedule.tma = true;
    schedule.convolves = readsImages(shape_);
    schedule.pingPongBlocks = profile_.smCount;
    schedule.keepsRhs = keepsRhs;
    if (keepsRhs && shape_.gemm->n > tile.bn) {
      schedule.group = 1; // a block's tiles have the same columns
    }
    return schedule;
  }

  /// Adds the most stages with which an SM has room for so many blocks. Where
  /// rhs stays, more than eight are too many: 64x256 tiles of a 1x1 convolution
  /// of 64 channels took 18.3 us with 8 on an H200, 18.5 with 6, 19.2 with 12.
  void addDeepest(GemmSm90Schedule schedule, int64_t residents,
                  std::vector<EstimatedSm90Schedule> &made) {
    constexpr int64_t mostBesideRhs = 8;
    for (int64_t stages : depths) {
      if (schedule.keepsRhs && stages > mostBesideRhs) {
        continue;
      }
      schedule.stages = stages;
      auto one = estimate(schedule);
      if (!one) {
        continue;
      }
      auto g = GemmSm90Geometry::get(shape_, schedule, nullptr);
      bool isNew = !schedule.padLhs || g->padsLhs();
      if (isNew && g->blocks() > profile_.smCount &&
          g->blocksPerSm(profile_) >= residents) {
        bool isThere = llvm::any_of(made, [&](const auto &other) {
          return other.schedule == programmaticTwin(*one).schedule;
        });
        if (!isThere) {
          made.push_back(programmaticTwin(*one));
        }
        return;
      }
    }
  }

  void addEveryDepth(GemmSm90Schedule schedule) {
    schedule.tma = true;
    schedule.convolves = readsImages(shape_);
    for (int64_t stages : depths) {
      for (bool padLhs : {false, true}) {
        schedule.stages = stages, schedule.padLhs = padLhs;
        auto one = estimate(schedule);
        if (!one) {
          continue;
        }
        auto g = GemmSm90Geometry::get(shape_, schedule, nullptr);
        // Equal code has one name; stages that nothing fills, which in blocks
        // that stay the next tiles do; such blocks where each has one tile.
        bool isNew = !padLhs || g->padsLhs();
        bool isFilled = stages <= 4 || schedule.isPingPong() ||
                        g->stagesAhead() <= g->kBlocksPerSplit;
        bool takesTurns =
            !schedule.isPingPong() || g->blocks() > profile_.smCount;
        if (isNew && isFilled && takesTurns) {
          found.push_back(*one);
        }
      }
    }
  }

  /// The most stages of a block that is alone on its SM, and, where there are
  /// more blocks than SMs, of two that share one.
  void considerDepths(GemmSm90Schedule schedule) {
    int64_t residents = 1;
    for (int64_t stages : depths) {
      schedule.stages = stages;
      auto g = GemmSm90Geometry::get(shape_, schedule, nullptr);
      if (failed(g) || g->misfit(profile_) ||
          g->blocksPerSm(profile_) < residents ||
          (stages > 4 && g->stagesAhead() > g->kBlocksPerSplit)) {
        continue;
      }
      if ((schedule.padLhs && !g->padsLhs()) ||
          (schedule.splitK > 1 && g->blocks() > profile_.smCount)) {
        return; // equal code has one name; splits only add traffic
      }
      found.push_back({schedule, estimateMicroseconds(*g, profile_)});
      residents = g->blocksPerSm(profile_) + 1;
      if (residents > 2 || g->blocks() <= profile_.smCount) {
        return;
      }
    }
  }

  const kernel::FusionShape &shape_;
  const DeviceProfile &profile_;
};

} // namespace

/// `sorted` as clusters of neighbours, the best of each of three tiles, along M
/// first. Only where blocks fill the device: of smaller grids clusters took
/// longer on an H200 than blocks by themselves, for windows of images too.
static std::vector<EstimatedSm90Schedule>
multicasts(TmaEnumeration &enumeration, const kernel::FusionShape &shape,
           const DeviceProfile &profile,
           ArrayRef<EstimatedSm90Schedule> sorted) {
  constexpr size_t mostTiles = 3;
  std::vector<EstimatedSm90Schedule> twins;
  for (bool isAlongM : {true, false}) {
    std::set<std::pair<int64_t, int64_t>> tilesDone;
    for (const EstimatedSm90Schedule &one : sorted) {
      GemmSm90Schedule schedule = one.schedule;
      if (isAlongM) {
        schedule.multicastM = 2;
      } else {
        schedule.multicastN = 2, schedule.group = 1;
      }
      auto g = GemmSm90Geometry::get(shape, schedule, nullptr);
      if (failed(g) || g->blocks() < profile.smCount ||
          tilesDone.size() == mostTiles ||
          !tilesDone.insert({schedule.bm, schedule.bn}).second) {
        continue;
      }
      if (auto twin = enumeration.estimate(schedule)) {
        twins.push_back(*twin);
      }
    }
  }
  return twins;
}

/// Of 14 problems on an H100 copies by TMA were at most 5 percent faster than
/// those by cp.async where each block has a tile, and up to 22 percent slower;
/// clusters that share operands lost on all, though their estimates are the
/// lowest ones. So the default mode, which measures nothing, must not choose
/// one: each is behind the best of the others that ask for lhs in the same
/// layout. Their order among themselves, which a search goes by, stays.
///
/// Windows of images do come faster by TMA, clusters aside: for 17 convolutions
/// of a ResNet-50 and a UNet on an H200 what estimates choose takes 1.11 times
/// as long as the best in geometric mean where they are behind as well, 1.07
/// where they are ahead. So does a deep K: of seven products of 2048 and more
/// on an H200 the fastest by TMA takes 0.81 to 0.95 of the fastest by cp.async
/// (docs/measurements/2026-11-28-h200-4.md).
constexpr double behind = 1.05, ahead = 0.97;
constexpr int64_t deepK = 2048;

/// Puts the best of `made` at `place` times the best of the others.
static void scale(std::vector<EstimatedSm90Schedule> &made,
                  ArrayRef<EstimatedSm90Schedule> others, double place) {
  if (made.empty()) {
    return;
  }
  double best = 0, bestOfOthers = 0;
  auto note = [](double &least, double microseconds) {
    least = least == 0 ? microseconds : std::min(least, microseconds);
  };
  for (const EstimatedSm90Schedule &one : made) {
    note(best, one.microseconds);
  }
  bool padLhs = made.front().schedule.padLhs;
  bool isKnown = llvm::any_of(others, [&](const EstimatedSm90Schedule &one) {
    return one.schedule.padLhs == padLhs;
  });
  for (const EstimatedSm90Schedule &one : others) {
    if (!isKnown || one.schedule.padLhs == padLhs) {
      note(bestOfOthers, one.microseconds);
    }
  }
  double factor = std::max(1.0, place * bestOfOthers / std::max(best, 1e-3));
  for (EstimatedSm90Schedule &one : made) {
    one.microseconds *= factor;
  }
}

std::vector<EstimatedSm90Schedule>
allTmaSchedules(const kernel::FusionShape &shape,
                const DeviceProfile &profile) {
  TmaEnumeration enumeration(shape, profile);
  enumeration.addAll();
  return std::move(enumeration.found);
}

void appendTmaSchedules(std::vector<EstimatedSm90Schedule> &schedules,
                        const kernel::FusionShape &shape,
                        const DeviceProfile &profile) {
  TmaEnumeration enumeration(shape, profile);
  enumeration.run();
  std::vector<EstimatedSm90Schedule> made;
  constexpr size_t mostDeep = 8;
  std::map<std::array<int64_t, 4>, int> ofTile;
  for (const EstimatedSm90Schedule &one : enumeration.found) {
    const GemmSm90Schedule &s = one.schedule;
    int &count = ofTile[{s.bm, s.bn, s.warpGroups(), s.warpGroupsK}];
    if (count < 2 && made.size() < mostDeep) {
      ++count;
      made.push_back(programmaticTwin(one));
    }
  }
  // Blocks that share an SM with those of the next launch.
  auto ascending = llvm::to_vector(llvm::reverse(depths));
  for (size_t i = 0, deep = made.size(); i != deep; ++i) {
    for (const EstimatedSm90Schedule &one :
         shallowTwins<GemmSm90Geometry>(shape, profile, made[i], ascending)) {
      if (made.size() < maxTmaSchedules) {
        made.push_back(one);
      }
    }
  }
  std::vector<EstimatedSm90Schedule> clusters =
      multicasts(enumeration, shape, profile, made);
  clusters.resize(std::min(clusters.size(), maxMulticastSchedules));
  bool areImages = readsImages(shape);
  if (!areImages) {
    made.insert(made.end(), clusters.begin(), clusters.end());
    clusters.clear();
  }
  for (bool keepsRhs : {false, true}) {
    std::vector<EstimatedSm90Schedule> pingPongs =
        enumeration.pingPongs(keepsRhs);
    size_t most = keepsRhs ? maxKeepingSchedules : maxPingPongSchedules;
    pingPongs.resize(std::min(pingPongs.size(), most));
    schedules.insert(schedules.end(), pingPongs.begin(), pingPongs.end());
  }
  bool isDeep = shape.gemm->k >= deepK;
  scale(made, schedules, areImages || isDeep ? ahead : behind);
  scale(clusters, schedules, behind);
  schedules.insert(schedules.end(), made.begin(), made.end());
  schedules.insert(schedules.end(), clusters.begin(), clusters.end());
}

} // namespace minic::cuda
