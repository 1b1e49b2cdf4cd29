// SPDX-License-Identifier: Apache-2.0
//
// Tiles, stages, splits and rasters, ranked by an estimate.

#include "compiler/target/cuda/gemm_sm80/EnumerateSchedules.h"

#include "compiler/target/cuda/gemm/ConvolutionView.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;

namespace minic::cuda {

namespace {

struct Tile {
  int64_t bm, bn, warpsM, warpsN, warpsK = 1;
};

const Tile tensorTiles[] = {
    {16, 32, 1, 2, 2},   {16, 64, 1, 4, 1},   {16, 64, 1, 2, 2},
    {16, 128, 1, 4, 1},  {32, 32, 2, 2, 1},   {32, 32, 1, 1, 4},
    {32, 32, 2, 2, 2},   {32, 64, 2, 2, 1},   {32, 64, 1, 2, 2},
    {32, 128, 1, 4, 1},  {64, 32, 2, 2, 1},   {64, 32, 2, 1, 2},
    {64, 64, 2, 2, 1},   {64, 64, 2, 2, 2},   {64, 64, 2, 4, 1},
    {64, 128, 2, 2, 1},  {64, 128, 2, 4, 1},  {128, 64, 2, 2, 1},
    {128, 64, 4, 2, 1},  {128, 128, 2, 2, 1}, {128, 128, 2, 4, 1},
    {128, 256, 2, 4, 1}, {256, 128, 4, 2, 1}, {64, 256, 1, 4, 1},
};

const Tile ffmaTiles[] = {
    {32, 32, 1, 1, 4},  {32, 32, 1, 2, 2},  {32, 64, 1, 2, 2},
    {64, 32, 1, 1, 4},  {64, 64, 1, 2, 2},  {64, 64, 2, 2, 1},
    {64, 128, 1, 4, 1}, {128, 64, 2, 2, 1}, {128, 128, 2, 4, 1},
};

/// A product of split floats is off by up to 19 roundings of float32: six for
/// what each rest leaves out, seven for the rests' dropped product. Sums of
/// so many products may be off by more in float32 arithmetic (Tolerance.h).
constexpr int64_t kSplitFloatMinK = 32;

/// Stages of shared memory, ascending.
constexpr int64_t depths[] = {2, 3, 4, 5, 6, 8};

class Enumeration {
public:
  Enumeration(const kernel::FusionShape &shape, const DeviceProfile &profile)
      : shape_(shape), profile_(profile) {}

  std::vector<EstimatedSchedule> found;

  void run() {
    const kernel::GemmShape &gemm = *shape_.gemm;
    if (!gemm.lhsType.isF32()) {
      runMath(GemmMath::Mma, tensorTiles);
      return;
    }
    if (profile_.allowTf32) {
      runMath(GemmMath::Tf32, tensorTiles);
    }
    if (fewestProducts() >= kSplitFloatMinK) {
      runMath(GemmMath::Tf32x3, tensorTiles);
    }
    runMath(GemmMath::Ffma, ffmaTiles);
  }

private:
  /// Of any sum.
  int64_t fewestProducts() const {
    return readsImages(shape_) ? ConvolutionMatrices(shape_, /*pads=*/false)
                                     .image.fewestProducts()
                               : shape_.gemm->k;
  }

  void runMath(GemmMath math, ArrayRef<Tile> tiles) {
    for (const Tile &tile : tiles) {
      for (int64_t rowBytes : {64, 128, 256}) {
        for (int64_t stages : depths) {
          for (int64_t splitK : {1, 2, 3, 4, 6, 8, 12, 16}) {
            for (bool padLhs : {false, true}) {
              GemmSm80Schedule schedule;
              schedule.bm = tile.bm, schedule.bn = tile.bn;
              schedule.warpsM = tile.warpsM, schedule.warpsN = tile.warpsN;
              schedule.warpsK = tile.warpsK;
              schedule.stages = stages, schedule.splitK = splitK;
              schedule.math = math, schedule.padLhs = padLhs;
              schedule.convolves = readsImages(shape_);
              schedule.bk =
                  rowBytes * 8 / shape_.gemm->lhsType.getIntOrFloatBitWidth();
              consider(schedule);
              schedule.clustered = true;
              consider(schedule);
            }
          }
        }
      }
    }
  }

  void consider(GemmSm80Schedule schedule) {
    FailureOr<GemmSm80Geometry> g =
        GemmSm80Geometry::get(shape_, schedule, nullptr);
    if (failed(g) || g->misfit(profile_)) {
      return;
    }
    // Equal code has one name.
    if (schedule.padLhs && !g->padsLhs()) {
      return;
    }
    // Stages that nothing ever fills; splits that only add traffic, unless all
    // are asked for.
    if (schedule.stages > 2 && schedule.stages > g->kBlocksPerSplit + 1) {
      return;
    }
    if (schedule.splitK > 1 && !profile_.asksForAll() &&
        g->raster.tiles() * g->raster.batches > 2 * profile_.smCount) {
      return;
    }
    found.push_back({schedule, estimateMicroseconds(*g, profile_)});
  }

  const kernel::FusionShape &shape_;
  const DeviceProfile &profile_;
};

} // namespace

/// The best `limit`, but of each tile and way to multiply a few only, and one
/// of those that differ in stages alone: the estimate is least sure about how
/// tiles compare.
static std::vector<EstimatedSchedule>
bestOfEach(ArrayRef<EstimatedSchedule> sorted, size_t limit) {
  std::map<std::array<int64_t, 6>, int> ofTile;
  std::map<std::array<int64_t, 9>, int> ofStages;
  std::vector<EstimatedSchedule> result;
  for (const EstimatedSchedule &one : sorted) {
    const GemmSm80Schedule &s = one.schedule;
    int64_t math = int64_t(s.math);
    int &tiles = ofTile[{math, s.bm, s.bn, s.warpsM, s.warpsN, s.warpsK}];
    int &stages = ofStages[{math, s.bm, s.bn, s.warpsM, s.warpsN, s.warpsK,
                            s.bk, s.splitK, s.padLhs}];
    if (!s.clustered && tiles < 4 && stages < 1 && result.size() < limit) {
      ++tiles, ++stages;
      result.push_back(one);
    }
  }
  return result;
}

/// What is worth measuring, and all others.
static std::vector<EstimatedSchedule>
enumerateAll(const kernel::FusionShape &shape, const DeviceProfile &profile,
             size_t limit) {
  DeviceProfile guided = profile;
  guided.breadth = Breadth::Promising;
  std::vector<EstimatedSchedule> result =
      enumerateSchedules(shape, guided, limit);
  Enumeration enumeration(shape, profile);
  enumeration.run();
  appendOthers<GemmSm80Schedule>(result, enumeration.found, profile);
  sortByEstimate(result);
  return result;
}

std::vector<EstimatedSchedule>
enumerateSchedules(const kernel::FusionShape &shape,
                   const DeviceProfile &profile, size_t limit) {
  if (profile.asksForAll()) {
    return enumerateAll(shape, profile, limit);
  }
  Enumeration enumeration(shape, profile);
  enumeration.run();
  auto &found = enumeration.found;
  sortByEstimate(found);
  // Room for the same with programmatic launches, and for plain arithmetic.
  size_t twins = profile.smVersion >= 90 ? limit / 4 : 0;
  std::vector<EstimatedSchedule> result =
      bestOfEach(found, std::max<size_t>(limit - twins, 1));
  twins = std::min(twins, result.size());
  size_t shallow = 0;
  for (size_t i = 0; i != twins; ++i) {
    EstimatedSchedule twin = programmaticTwin(result[i]);
    result.push_back(twin);
    for (const EstimatedSchedule &one :
         shallowTwins<GemmSm80Geometry>(shape, profile, twin, depths)) {
      if (shallow < maxShallowSchedules) {
        ++shallow;
        result.push_back(one);
      }
    }
  }
  auto isFfma = [](const EstimatedSchedule &one) {
    return one.schedule.math == GemmMath::Ffma;
  };
  if (limit > 1 && llvm::none_of(result, isFfma)) {
    // The one that is IEEE arithmetic throughout is always there.
    auto plain = llvm::find_if(found, isFfma);
    if (plain != found.end()) {
      if (result.size() >= limit + shallow) {
        result.pop_back();
      }
      result.push_back(*plain);
    }
  }
  if (limit > 1) {
    appendOtherImages(result, found);
    appendClusters(result, found);
  }
  sortByEstimate(result);
  return result;
}

std::optional<std::string>
rejectSm80(kernel::FusionOp fusion, const DeviceProfile &profile,
           llvm::function_ref<FailureOr<kernel::FusionShape>(kernel::FusionOp,
                                                             std::string *)>
               match) {
  if (profile.smVersion < 80) {
    return "the GPU is older than sm_80";
  }
  std::string reason;
  FailureOr<kernel::FusionShape> shape = match(fusion, &reason);
  if (failed(shape)) {
    return reason;
  }
  if (enumerateSchedules(*shape, profile, 1).empty()) {
    return "too large, or a GPU with too little shared memory";
  }
  return std::nullopt;
}

std::string kindOf(StringRef family, const GemmSm80Schedule &schedule,
                   bool streamsWeights) {
  return family.str() + " " + toString(schedule.math).str() + " " +
         std::to_string(schedule.bm) + "x" + std::to_string(schedule.bn) +
         (streamsWeights      ? " streamed"
          : schedule.bm >= 64 ? " wide"
          : schedule.bm == 16 ? " few"
                              : "") +
         (schedule.clustered
              ? schedule.splitK > 4 ? " cluster deep" : " cluster"
          : schedule.splitK > 1 ? " split"
                                : "");
}

} // namespace minic::cuda
