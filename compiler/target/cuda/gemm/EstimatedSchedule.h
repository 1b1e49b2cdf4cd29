// SPDX-License-Identifier: Apache-2.0
//
// Estimated: a schedule with its estimated time. Families' enumerations share
// the operations on lists of them.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_ESTIMATEDSCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_ESTIMATEDSCHEDULE_H

#include "compiler/target/DeviceProfile.h"
#include "dialects/kernel/FusionShape.h"

#include "llvm/ADT/StringSet.h"

#include <map>
#include <vector>

namespace minic::cuda {

template <typename Schedule> struct Estimated {
  Schedule schedule;
  double microseconds = 0;
};

/// Best first.
template <typename Schedule>
void sortByEstimate(std::vector<Estimated<Schedule>> &schedules) {
  llvm::sort(schedules, [](const auto &a, const auto &b) {
    // Equal estimates have a fixed order: if nothing was measured, the first
    // one is used.
    return a.microseconds != b.microseconds
               ? a.microseconds < b.microseconds
               : toString(a.schedule) < toString(b.schedule);
  });
}

/// The same with a programmatic launch: its beginning runs while the launch
/// before it ends.
template <typename Schedule>
Estimated<Schedule> programmaticTwin(Estimated<Schedule> twin) {
  twin.schedule.programmatic = true;
  twin.microseconds = std::max(twin.microseconds - 0.5, 0.0);
  return twin;
}

/// Adds those of `others` that `schedules` lacks, and what they are as
/// programmatic launches where those exist.
template <typename Schedule>
void appendOthers(std::vector<Estimated<Schedule>> &schedules,
                  llvm::ArrayRef<Estimated<Schedule>> others,
                  const DeviceProfile &profile) {
  llvm::StringSet<> known;
  for (const Estimated<Schedule> &one : schedules) {
    known.insert(toString(one.schedule));
  }
  auto add = [&](const Estimated<Schedule> &one) {
    if (known.insert(toString(one.schedule)).second) {
      schedules.push_back(one);
    }
  };
  for (const Estimated<Schedule> &one : others) {
    add(one);
    if (profile.smVersion >= 90) {
      add(programmaticTwin(one));
    }
  }
}

/// Clusters that are offered beside other schedules.
inline constexpr size_t maxClusterSchedules = 8;

/// Beside the plain schedules of `result`: the best clusters of `sorted` as
/// programmatic launches, two of each tile. How they compare with the plain
/// ones is what the estimate knows least.
template <typename Schedule>
void appendClusters(std::vector<Estimated<Schedule>> &result,
                    const std::vector<Estimated<Schedule>> &sorted) {
  constexpr int kMostOfTile = 2;
  std::map<std::pair<int64_t, int64_t>, int> ofTile;
  size_t end = result.size() + maxClusterSchedules;
  for (const Estimated<Schedule> &one : sorted) {
    const Schedule &s = one.schedule;
    if (s.clustered && result.size() < end &&
        ofTile[{s.bm, s.bn}]++ < kMostOfTile) {
      result.push_back(programmaticTwin(one));
    }
  }
}

/// Of convolutions: the best schedules of `sorted`, of a tile each, that ask
/// for images in another way than all of `result`: with zeros behind few
/// channels, or gathered where they lie. How they compare the estimate knows
/// least.
template <typename Schedule>
void appendOtherImages(std::vector<Estimated<Schedule>> &result,
                       const std::vector<Estimated<Schedule>> &sorted) {
  constexpr size_t kMost = 3;
  auto isOther = [&](const Estimated<Schedule> &one) {
    return one.schedule.convolves && !one.schedule.clustered &&
           one.schedule.padLhs != result.front().schedule.padLhs;
  };
  if (result.empty() || llvm::any_of(result, isOther)) {
    return;
  }
  std::map<std::pair<int64_t, int64_t>, int> ofTile;
  for (const Estimated<Schedule> &one : sorted) {
    if (isOther(one) && ofTile.size() < kMost &&
        ofTile[{one.schedule.bm, one.schedule.bn}]++ == 0) {
      result.push_back(one);
    }
  }
}

/// `favourite`, a programmatic launch, with fewer stages, so that two blocks
/// fit on an SM, and with fewer again, so that three fit, then four. One block
/// runs while those of the next launches copy their weights ahead. Each has the
/// most stages that allow it, but two blocks four at least: with three nothing
/// is under way while a stage is waited for, and the widest tiles spill.
/// `depths`: numbers of stages, ascending.
///
/// Measured on an H200 (two of 256x1024x1024 in bf16 by gemm_sm80, back to
/// back): 9.5 us with 8 stages of 32x64x64, 9.4 with 6, 9.2 with 4 and 9.8 with
/// 3.
template <typename Geometry, typename Schedule>
std::vector<Estimated<Schedule>>
shallowTwins(const kernel::FusionShape &shape, const DeviceProfile &profile,
             const Estimated<Schedule> &favourite,
             llvm::ArrayRef<int64_t> depths) {
  std::vector<Estimated<Schedule>> twins;
  int64_t residents = 2;
  for (int64_t stages : llvm::reverse(depths)) {
    if (stages < (residents == 2 ? 4 : 3) || residents > 4) {
      break;
    }
    Estimated<Schedule> twin = favourite;
    twin.schedule.stages = std::min(stages, favourite.schedule.stages);
    auto g = Geometry::get(shape, twin.schedule, nullptr);
    // With more blocks than SMs, blocks of one launch already share an SM.
    if (failed(g) || g->blocks() > profile.smCount) {
      break;
    }
    int64_t fit = g->blocksPerSm(profile);
    if (fit < residents) {
      continue;
    }
    residents = fit + 1;
    if (twin.schedule.stages != favourite.schedule.stages) {
      // By the estimate these are as fast, because the next launches hide what
      // more stages would. But a search should try different tiles first, and
      // these only if the deeper one did well.
      twin.microseconds *= 1.04;
      twins.push_back(twin);
    }
  }
  return twins;
}

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_ESTIMATEDSCHEDULE_H
