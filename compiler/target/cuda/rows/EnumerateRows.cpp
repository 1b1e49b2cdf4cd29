// SPDX-License-Identifier: Apache-2.0
//
// Sixteen bytes per access, two accesses per thread and tensor, and no more of
// a row per thread than registers hold. Where rows are too few for the device,
// several blocks share each.

#include "compiler/target/cuda/rows/EnumerateRows.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace minic::cuda {

/// Columns that a thread keeps of each value without spilling.
constexpr int64_t kMostKept = 32;
constexpr int64_t kMostVector = 8;
constexpr size_t kMostSchedules = 8;
/// Columns of a block's part of a row, at least: fewer are read sooner than
/// blocks meet.
constexpr int64_t kLeastPart = 4096;

/// The bytes of the narrowest tensor that is walked column by column.
static int64_t narrowestBytes(const RowFusion &rows) {
  int64_t narrowest = 8;
  for (const RowFusion::Read &read : rows.reads) {
    if (read.strides.back() == 1) {
      narrowest = std::min(narrowest, kernel::getElementBytes(read.storage));
    }
  }
  for (const RowFusion::Result &result : rows.results) {
    if (result.strides.back() == 1) {
      narrowest = std::min(narrowest, kernel::getElementBytes(result.storage));
    }
  }
  return narrowest;
}

static int64_t widestVector(const RowFusion &rows) {
  int64_t vector = std::min(kMostVector, 16 / narrowestBytes(rows));
  while (rows.extents.back() % vector != 0) {
    vector /= 2;
  }
  return vector;
}

/// Lower is better.
static double rank(const RowFusion &rows, const RowSchedule &s,
                   const DeviceProfile &profile) {
  double sms = std::max(1, profile.smCount);
  double blocks = double(s.blocks(rows));
  double residentThreads = std::min(double(profile.threadsPerSm),
                                    double(s.blockThreads()) * blocks / sms);
  double wasted =
      double(s.step() * llvm::divideCeil(rows.columns(), s.step())) /
      double(rows.columns());
  // Each thread and SM needs enough loads in flight, and few threads wait for
  // each other.
  double perThread = double(s.vector * s.unroll);
  double cost = std::min(wasted, 4.0);
  cost += 0.1 * std::abs(std::log2(perThread / 16));
  cost += residentThreads < 512 ? 0.3 * std::log2(512 / residentThreads) : 0;
  cost += s.threads > 256 ? 0.1 * std::log2(double(s.threads) / 256) : 0;
  cost += s.blockThreads() != 256 && s.threads < 256 ? 0.02 : 0;
  return cost;
}

static void addKeeping(const RowFusion &rows, int64_t vector,
                       std::vector<RowSchedule> &schedules) {
  int64_t count = rows.columns() / vector;
  for (int64_t threads = 1; threads <= 1024; threads *= 2) {
    for (int64_t block : {128, 256}) {
      RowSchedule schedule = {threads, std::max<int64_t>(1, block / threads),
                              vector, int64_t(llvm::divideCeil(count, threads)),
                              /*keeps=*/true};
      bool isTwin = threads > 128 && block == 128;
      bool isIdle = threads > 1 && threads * vector >= 2 * rows.columns();
      if (!isTwin && !isIdle && schedule.unroll * vector <= kMostKept) {
        schedules.push_back(schedule);
      }
    }
  }
}

/// True where neighbours in memory are of different rows.
static bool runsAcross(const RowFusion &rows) {
  return rows.rowLoops > 0 &&
         llvm::any_of(rows.reads, [&](const RowFusion::Read &read) {
           return read.strides.back() > 1 &&
                  read.strides[rows.rowLoops - 1] == 1;
         });
}

/// Rows that a thread reads in one access of 16 bytes at most, all of them
/// neighbours in every tensor; 1: there are none.
static int64_t mostAcross(const RowFusion &rows) {
  int64_t narrowest = 8;
  for (const RowFusion::Read &read : rows.reads) {
    narrowest = std::min(narrowest, kernel::getElementBytes(read.storage));
  }
  RowSchedule schedule = {32, 1, 1, 8, /*keeps=*/false};
  schedule.across = std::min(kMostVector, 16 / narrowest);
  while (schedule.across > 1 && !mismatch(rows, schedule).empty()) {
    schedule.across /= 2;
  }
  return schedule.across;
}

/// Several groups of rows to a block fill sectors. No more threads share a row
/// than have a column.
static void addVectorsAcross(const RowFusion &rows,
                             const DeviceProfile &profile,
                             std::vector<RowSchedule> &schedules) {
  int64_t most = mostAcross(rows);
  int64_t least = profile.asksForAll() ? 2 : most;
  for (int64_t across = most; across >= least && across > 1; across /= 2) {
    for (int64_t groups : {4, 2, 8, 16}) {
      RowSchedule schedule = {256 / groups, groups, 1, 8, /*keeps=*/false};
      schedule.across = across;
      int64_t each = llvm::divideCeil(rows.columns(), schedule.threads);
      schedule.unroll = std::min(schedule.unroll, each);
      if (schedule.threads < 2 * rows.columns()) {
        schedules.push_back(schedule);
      }
    }
  }
}

/// Few threads per row, so that those of a warp read neighbours.
static std::vector<RowSchedule> across(const RowFusion &rows) {
  std::vector<RowSchedule> schedules;
  bool isMany = rows.rows() >= 16384;
  for (int64_t threads : {isMany ? 1 : 8, isMany ? 4 : 32, isMany ? 16 : 2}) {
    schedules.push_back({threads, 256 / threads, 1, 8, /*keeps=*/false});
  }
  return schedules;
}

/// Each row in one block.
static std::vector<RowSchedule> wholeRows(const RowFusion &rows,
                                          const DeviceProfile &profile) {
  std::vector<RowSchedule> schedules;
  if (runsAcross(rows)) {
    return across(rows);
  }
  int64_t widest = widestVector(rows);
  addKeeping(rows, widest, schedules);
  int64_t narrowest =
      profile.asksForAll() ? 1 : std::max<int64_t>(widest / 2, 1);
  for (int64_t vector = widest / 2; vector >= narrowest; vector /= 2) {
    addKeeping(rows, vector, schedules);
  }
  llvm::stable_sort(schedules, [&](const auto &a, const auto &b) {
    return rank(rows, a, profile) < rank(rows, b, profile);
  });
  bool all = profile.asksForAll();
  if (!all && schedules.size() > kMostSchedules) {
    schedules.resize(kMostSchedules);
  }
  if (schedules.empty() || all) {
    for (int64_t threads : {1024, 512, 256}) {
      for (int64_t held : {16, 8}) {
        int64_t unroll = std::max<int64_t>(1, held / widest);
        schedules.push_back({threads, 1, widest, unroll, /*keeps=*/false});
      }
    }
  }
  return schedules;
}

/// A power of two from 128 to `most` threads for `columns` of a block's part,
/// 16 of them each.
static int64_t threadsFor(int64_t columns, int64_t most) {
  return std::clamp(int64_t(llvm::bit_ceil(uint64_t(columns / 16))),
                    int64_t(128), most);
}

/// The part is kept where registers hold it.
static RowSchedule withUnroll(RowSchedule s, const RowFusion &rows) {
  s.unroll =
      int64_t(llvm::divideCeil(rows.columns(), s.rowThreads() * s.vector));
  s.keeps = s.unroll * s.vector <= kMostKept;
  if (!s.keeps) {
    s.unroll = std::max<int64_t>(1, 16 / s.vector);
  }
  return s;
}

/// Clusters that keep rows: their blocks meet soonest.
static void addClusters(const RowFusion &rows, const DeviceProfile &profile,
                        std::vector<RowSchedule> &schedules) {
  for (int64_t split : {8, 4, 2}) {
    int64_t part = rows.columns() / split;
    RowSchedule schedule;
    schedule.split = split;
    schedule.cluster = true;
    schedule.vector = widestVector(rows);
    schedule.threads = threadsFor(part, 1024);
    schedule = withUnroll(schedule, rows);
    if (schedule.keeps && part >= kLeastPart &&
        rows.rows() * split <= 2 * profile.smCount) {
      schedules.push_back(schedule);
    }
  }
}

/// Clusters that read across rows: some rows to a block, so that a warp's reads
/// of neighbours fill a sector.
static void addClustersAcross(const RowFusion &rows,
                              const DeviceProfile &profile,
                              std::vector<RowSchedule> &schedules) {
  auto add = [&](int64_t groups, int64_t across) {
    for (int64_t split : {8, 4, 2}) {
      RowSchedule schedule = {256 / groups, groups, 1, 8, /*keeps=*/false};
      schedule.split = split;
      schedule.cluster = true;
      schedule.across = across;
      bool fits = schedule.blocks(rows) <= 2 * profile.smCount;
      if (fits && rows.columns() >= schedule.step() &&
          rows.rows() >= schedule.blockRows()) {
        schedules.push_back(schedule);
        break; // the most blocks that fit
      }
    }
  };
  for (int64_t together : {8, 16, 32}) {
    add(together, 1);
  }
  int64_t across = mostAcross(rows);
  for (int64_t groups : {2, 4, 8}) {
    if (across > 1) {
      add(groups, across);
    }
  }
}

/// About `blocks`, each with a few groups of `across` rows.
static void addLaunchesOfVectors(const RowFusion &rows, int64_t blocks,
                                 int64_t across,
                                 std::vector<RowSchedule> &schedules) {
  for (int64_t groups : {4, 8}) {
    RowSchedule schedule = {256 / groups, groups, 1, 8, /*keeps=*/false};
    schedule.across = across;
    schedule.split =
        std::min(blocks / schedule.blocks(rows),
                 rows.columns() / (schedule.threads * schedule.unroll));
    if (schedule.split >= 2 && rows.rows() >= schedule.blockRows() &&
        !llvm::is_contained(schedules, schedule)) {
      schedules.push_back(schedule);
    }
  }
}

/// As many blocks as the device has multiprocessors, and some times that.
static void addLaunches(const RowFusion &rows, const DeviceProfile &profile,
                        std::vector<RowSchedule> &schedules) {
  bool isAcross = runsAcross(rows);
  int64_t across = isAcross ? mostAcross(rows) : 1;
  for (int64_t perSm : {2, 1, 4}) {
    RowSchedule schedule;
    int64_t least = kLeastPart;
    if (across > 1) {
      addLaunchesOfVectors(rows, perSm * profile.smCount, across, schedules);
    }
    if (isAcross) {
      // A warp reads neighbours; more rows to a block leave more of the last
      // block idle, and each thread more parts to merge.
      schedule.rows =
          std::clamp(int64_t(llvm::bit_floor(uint64_t(rows.rows()))),
                     int64_t(1), int64_t(32));
      schedule.threads = 256 / schedule.rows;
      least = schedule.threads * 8;
    }
    int64_t groups = schedule.blocks(rows);
    int64_t split =
        std::min(perSm * profile.smCount / groups, rows.columns() / least);
    if (split < 2) {
      continue;
    }
    schedule.split = split;
    if (isAcross) {
      schedule.unroll = 8;
      schedule.keeps = false;
    } else {
      schedule.vector = widestVector(rows);
      schedule.threads = threadsFor(rows.columns() / split, 1024 / perSm);
      schedule = withUnroll(schedule, rows);
    }
    if (!llvm::is_contained(schedules, schedule)) {
      schedules.push_back(schedule);
    }
  }
}

/// Adds the first `count` without overlap with the launch before, which costs
/// what a gap does.
static void addAlone(std::vector<EstimatedRows> &found, size_t count) {
  constexpr double gapUs = 0.5;
  for (size_t i = 0, first = std::min(count, found.size()); i != first; ++i) {
    EstimatedRows alone = found[i];
    alone.schedule.programmatic = false;
    alone.microseconds += gapUs;
    found.push_back(alone);
  }
}

/// What a schedule loses where its launch may overlap with the one before. Of
/// 265 means across rows on an H200, run after run, those of 67 to 528 blocks
/// took 1.22 times as long as without overlap in the middle, 3.9 times at most;
/// those of up to 66 and of over 1056 took 0.91 and 0.94
/// (docs/measurements/2026-11-29-h200-3.md). A guess at why: blocks that may
/// begin early crowd on the multiprocessors that are free first.
static double crowdedUs(const EstimatedRows &one, const RowFusion &rows,
                        const DeviceProfile &profile) {
  constexpr double loss = 0.25, launchUs = 2;
  int64_t blocks = one.schedule.blocks(rows);
  bool isCrowded = one.schedule.programmatic && 2 * blocks > profile.smCount &&
                   blocks <= 4 * profile.smCount;
  return isCrowded ? loss * std::max(0.0, one.microseconds - launchUs) : 0;
}

/// Of `first` or, where rows are neighbours, of a block that reads most of them
/// at a time: 64 in 16 bits.
static int64_t fewestBlocks(const RowFusion &rows, const RowSchedule &first) {
  RowSchedule wide = {32, 8, 1, 8, /*keeps=*/false};
  wide.across = runsAcross(rows) ? mostAcross(rows) : 1;
  return wide.across > 1 ? std::min(first.blocks(rows), wide.blocks(rows))
                         : first.blocks(rows);
}

std::vector<EstimatedRows> enumerateRows(const RowFusion &rows,
                                         const RowTraffic &traffic,
                                         const DeviceProfile &profile) {
  std::vector<RowSchedule> schedules = wholeRows(rows, profile);
  std::vector<EstimatedRows> found;
  auto add = [&](RowSchedule schedule, double us) {
    schedule.programmatic = profile.smVersion >= 90;
    // The order is the enumeration's.
    found.push_back({schedule, us + 1e-3 * double(found.size())});
  };
  auto estimate = [&](const RowSchedule &schedule) {
    return estimateMicroseconds(rows, traffic, schedule, profile);
  };
  for (const RowSchedule &schedule : schedules) {
    add(schedule, estimate(schedules.front()));
  }
  if (runsAcross(rows)) {
    // How many blocks they have differs, and so does what each can reach.
    std::vector<RowSchedule> vectors;
    addVectorsAcross(rows, profile, vectors);
    for (const RowSchedule &schedule : vectors) {
      add(schedule, estimate(schedule));
    }
  }
  if (fewestBlocks(rows, schedules.front()) < profile.smCount) {
    std::vector<RowSchedule> shared;
    if (profile.smVersion >= 90) {
      runsAcross(rows) ? addClustersAcross(rows, profile, shared)
                       : addClusters(rows, profile, shared);
    }
    addLaunches(rows, profile, shared);
    for (const RowSchedule &schedule : shared) {
      add(schedule, estimate(schedule));
    }
  }
  auto sort = [&] {
    llvm::stable_sort(found, [](const auto &a, const auto &b) {
      return a.microseconds < b.microseconds;
    });
  };
  sort();
  if (profile.smVersion >= 90) {
    size_t few = runsAcross(rows) ? 3 : 0;
    addAlone(found, profile.asksForAll() ? found.size() : few);
  }
  if (runsAcross(rows)) {
    for (EstimatedRows &one : found) {
      one.microseconds += crowdedUs(one, rows, profile);
    }
  }
  sort();
  return found;
}

} // namespace minic::cuda
