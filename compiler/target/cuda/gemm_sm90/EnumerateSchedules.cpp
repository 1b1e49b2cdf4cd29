// SPDX-License-Identifier: Apache-2.0
//
// Tiles, stages, splits and rasters, ranked by an estimate.

#include "compiler/target/cuda/gemm_sm90/EnumerateSchedules.h"

#include "compiler/target/cuda/gemm/ConvolutionView.h"
#include "compiler/target/cuda/gemm_sm90/EnumerateTmaSchedules.h"

#include <map>

using namespace mlir;

namespace minic::cuda {

namespace {

struct Tile {
  int64_t bm, bn, warpGroupsM, warpGroupsN, warpGroupsK = 1;
};

/// Wide tiles read less from L2 and shared memory for a product, and need
/// enough of them to fill the device.
const Tile tiles[] = {
    {64, 32, 1, 1},   {64, 32, 1, 1, 2}, {64, 64, 1, 1},   {64, 64, 1, 1, 2},
    {64, 96, 1, 1},   {64, 128, 1, 1},   {64, 128, 1, 2},  {64, 144, 1, 1},
    {64, 192, 1, 1},  {64, 256, 1, 2},   {128, 32, 2, 1},  {128, 64, 2, 1},
    {128, 96, 2, 1},  {128, 128, 2, 1},  {128, 160, 2, 1}, {128, 176, 2, 1},
    {128, 192, 2, 1}, {128, 224, 2, 1},  {128, 256, 2, 1}, {192, 96, 3, 1},
    {192, 128, 3, 1}, {192, 160, 3, 1},  {256, 64, 4, 1},  {256, 96, 4, 1},
    {256, 128, 2, 1},
};

/// Stages of shared memory, ascending. With the fewest, copies are waited for
/// by what the other blocks of the SM multiply.
constexpr int64_t depths[] = {3, 4, 5, 6, 8, 12};

class Enumeration {
public:
  Enumeration(const kernel::FusionShape &shape, const DeviceProfile &profile)
      : shape_(shape), profile_(profile) {}

  std::vector<EstimatedSm90Schedule> found;

  void run() {
    // All of them with one stage less than others, too.
    constexpr int64_t every[] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    for (const Tile &tile : tiles) {
      for (int64_t stages :
           profile_.asksForAll() ? ArrayRef(every) : ArrayRef(depths)) {
        for (int64_t splitK : {1, 2, 3, 4, 6, 8}) {
          for (bool padLhs : {false, true}) {
            GemmSm90Schedule schedule;
            schedule.bm = tile.bm, schedule.bn = tile.bn;
            schedule.warpGroupsM = tile.warpGroupsM;
            schedule.warpGroupsN = tile.warpGroupsN;
            schedule.warpGroupsK = tile.warpGroupsK;
            schedule.stages = stages, schedule.splitK = splitK;
            schedule.padLhs = padLhs;
            schedule.convolves = readsImages(shape_);
            for (int64_t group : groups()) {
              schedule.group = group;
              schedule.clustered = false;
              consider(schedule);
              schedule.clustered = true;
              consider(schedule);
            }
          }
        }
      }
    }
  }

private:
  /// Orders of tiles: the usual one alone, unless all are asked for.
  SmallVector<int64_t> groups() const {
    SmallVector<int64_t> groups = {GemmSm90Schedule().group};
    if (profile_.asksForAll()) {
      groups.push_back(1);
    }
    return groups;
  }

  void consider(const GemmSm90Schedule &schedule) {
    FailureOr<GemmSm90Geometry> g =
        GemmSm90Geometry::get(shape_, schedule, nullptr);
    if (failed(g) || g->misfit(profile_)) {
      return;
    }
    // Equal code has one name.
    if (schedule.padLhs && !g->padsLhs()) {
      return;
    }
    bool all = profile_.asksForAll();
    if (schedule.group == 1 &&
        (g->raster.tilesM <= 1 || g->raster.tilesN <= 1)) {
      return;
    }
    // Stages that nothing ever fills; splits that only add traffic, unless all
    // are asked for.
    if (schedule.stages > 4 && g->stagesAhead() > g->kBlocksPerSplit) {
      return;
    }
    if (schedule.splitK > 1 && !all &&
        g->raster.tiles() * g->raster.batches > profile_.smCount) {
      return;
    }
    bool areAlone =
        g->blocksPerSm(profile_) == 1 || g->blocks() <= profile_.smCount;
    // With the fewest stages two blocks share an SM. One of a cluster would not
    // fit: 128x128 tiles of K = 1000 spill its addresses.
    if (schedule.stages == depths[0] && !all &&
        (areAlone || schedule.clustered)) {
      return;
    }
    found.push_back({schedule, estimateMicroseconds(*g, profile_)});
  }

  const kernel::FusionShape &shape_;
  const DeviceProfile &profile_;
};

} // namespace

/// The best `limit`, but of each tile a few only, and one of those that differ
/// in stages alone, with several blocks in an SM another: the estimate is least
/// sure about how tiles compare.
static std::vector<EstimatedSm90Schedule>
bestOfEach(ArrayRef<EstimatedSm90Schedule> sorted, size_t limit) {
  std::map<std::array<int64_t, 5>, int> ofTile;
  std::map<std::array<int64_t, 8>, int> ofStages;
  std::vector<EstimatedSm90Schedule> result;
  for (const EstimatedSm90Schedule &one : sorted) {
    const GemmSm90Schedule &s = one.schedule;
    int &tiles =
        ofTile[{s.bm, s.bn, s.warpGroupsM, s.warpGroupsN, s.warpGroupsK}];
    int &stages =
        ofStages[{s.bm, s.bn, s.warpGroupsM, s.warpGroupsN, s.warpGroupsK,
                  s.splitK, s.padLhs, s.stages == depths[0]}];
    if (!s.clustered && tiles < 3 && stages < 1 && result.size() < limit) {
      ++tiles, ++stages;
      result.push_back(one);
    }
  }
  return result;
}

/// Whether results are so large that L2 cannot keep them and operands: then it
/// may pay that results leave it first.
static bool fillL2(const kernel::FusionShape &shape,
                   const DeviceProfile &profile) {
  int64_t bytes = 0;
  for (Value result : shape.results) {
    auto type = cast<RankedTensorType>(result.getType());
    bytes += type.getNumElements() * type.getElementTypeBitWidth() / 8;
  }
  return profile.l2Bytes > 0 && 2 * bytes >= profile.l2Bytes;
}

/// Appends twins of the best of each kind whose results leave L2 first.
static void appendEvicting(std::vector<EstimatedSm90Schedule> &sorted,
                           size_t ofEach) {
  std::map<std::string, size_t> ofKind;
  for (size_t i = 0, count = sorted.size(); i != count; ++i) {
    EstimatedSm90Schedule twin = sorted[i];
    const GemmSm90Schedule &s = twin.schedule;
    std::string kind = s.keepsRhs ? "kept" : s.isPingPong() ? "pingpong" : "";
    if (++ofKind[kind] <= ofEach) {
      twin.schedule.evictsResults = true;
      // Of blocks that keep rhs 16.5 to 17.6 us instead of 18.3 for a 1x1
      // convolution of 64 to 256 channels (32x56x56, on an H200's device).
      twin.microseconds *= s.keepsRhs ? 0.999 : 1.001;
      sorted.push_back(twin);
    }
  }
}

/// What is worth measuring, and all others.
static std::vector<EstimatedSm90Schedule>
enumerateAll(const kernel::FusionShape &shape, const DeviceProfile &profile,
             size_t limit) {
  DeviceProfile guided = profile;
  guided.breadth = Breadth::Promising;
  std::vector<EstimatedSm90Schedule> result =
      enumerateSm90Schedules(shape, guided, limit);
  Enumeration enumeration(shape, profile);
  enumeration.run();
  appendOthers<GemmSm90Schedule>(result, enumeration.found, profile);
  appendOthers<GemmSm90Schedule>(result, allTmaSchedules(shape, profile),
                                 profile);
  if (fillL2(shape, profile)) {
    llvm::erase_if(result, [](const EstimatedSm90Schedule &one) {
      return one.schedule.evictsResults;
    });
    appendEvicting(result, result.size());
  }
  sortByEstimate(result);
  return result;
}

std::vector<EstimatedSm90Schedule>
enumerateSm90Schedules(const kernel::FusionShape &shape,
                       const DeviceProfile &profile, size_t limit) {
  if (profile.asksForAll()) {
    return enumerateAll(shape, profile, limit);
  }
  Enumeration enumeration(shape, profile);
  enumeration.run();
  auto &found = enumeration.found;
  sortByEstimate(found);
  // Of the first quarter also what the estimate knows nothing of: launches that
  // overlap, with fewer stages too, and the other order of tiles.
  size_t best = std::max<size_t>(limit / 2, 1);
  std::vector<EstimatedSm90Schedule> result = bestOfEach(found, best);
  size_t favourites = std::min(limit / 4, result.size());
  auto append = [&](const EstimatedSm90Schedule &one) {
    bool isNew = llvm::none_of(result, [&](const auto &other) {
      return other.schedule == one.schedule;
    });
    if (isNew && result.size() < limit) {
      result.push_back(one);
    }
  };
  for (size_t i = 0; i != favourites; ++i) {
    EstimatedSm90Schedule twin = programmaticTwin(result[i]);
    append(twin);
    for (const EstimatedSm90Schedule &one :
         shallowTwins<GemmSm90Geometry>(shape, profile, twin, depths)) {
      append(one);
    }
  }
  // Narrow copies go through L1, which is what shared memory leaves of an SM's
  // memory: 128x160 tiles of 2048x3420x1280 bf16 took 30.1 us with five stages
  // on an H200, 30.6 with six and 30.8 with four.
  for (size_t i = 0; i != std::min<size_t>(favourites, 2); ++i) {
    EstimatedSm90Schedule fewer = result[i];
    bool isNarrow =
        GemmSm90Geometry::get(shape, fewer.schedule, nullptr)->lhs.accessBytes <
        16;
    while (isNarrow && --fewer.schedule.stages >= 4) {
      append(fewer);
      append(programmaticTwin(fewer));
    }
  }
  for (size_t i = 0; i != favourites; ++i) {
    EstimatedSm90Schedule other = result[i];
    other.schedule.group = 1;
    append(other);
  }
  if (limit > 1) {
    appendOtherImages(result, found);
    appendClusters(result, found);
    appendTmaSchedules(result, shape, profile);
    sortByEstimate(result);
    if (fillL2(shape, profile)) {
      appendEvicting(result, /*ofEach=*/maxKeepingSchedules);
    }
  }
  sortByEstimate(result);
  return result;
}

std::optional<std::string>
rejectSm90(kernel::FusionOp fusion, const DeviceProfile &profile,
           llvm::function_ref<FailureOr<kernel::FusionShape>(kernel::FusionOp,
                                                             std::string *)>
               match) {
  if (profile.cpu != "sm_90a") {
    return "the GPU is not sm_90a";
  }
  std::string reason;
  FailureOr<kernel::FusionShape> shape = match(fusion, &reason);
  if (failed(shape)) {
    return reason;
  }
  // The smallest tile has 64.
  if (shape->gemm->m <= 32) {
    return "fewer than 33 rows";
  }
  if (enumerateSm90Schedules(*shape, profile, 1).empty()) {
    return "too large, or a GPU with too little shared memory";
  }
  return std::nullopt;
}

std::string kindOf(StringRef family, const GemmSm90Schedule &schedule) {
  // Those with TMA count as a family, so that a search looks at some of them.
  return family.str() + (schedule.tma ? "_tma " : " ") +
         std::to_string(schedule.bm) + "x" + std::to_string(schedule.bn) +
         (schedule.keepsRhs           ? " pingpong kept"
          : schedule.movesRegisters() ? " pingpong registers"
          : schedule.isPingPong()     ? " pingpong"
          : schedule.multicast() > 1  ? " multicast"
          : schedule.clustered
              ? schedule.splitK > 4 ? " cluster deep" : " cluster"
          : schedule.splitK > 1 ? " split"
                                : "") +
         (schedule.evictsResults ? " evicting" : "");
}

} // namespace minic::cuda
