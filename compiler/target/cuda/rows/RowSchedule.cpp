// SPDX-License-Identifier: Apache-2.0
//
// Sixteen bytes per access, two accesses per thread and tensor, and no more of
// a row per thread than registers hold.

#include "compiler/target/cuda/rows/RowSchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace minic::cuda {

/// Columns that a thread keeps of each value without spilling.
constexpr int64_t kMostKept = 32;
constexpr int64_t kMostVector = 8;
constexpr size_t kMostSchedules = 8;

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

static RowSchedule keeping(const RowFusion &rows, int64_t vector,
                           int64_t threads, int64_t block) {
  int64_t count = rows.columns() / vector;
  return {threads, std::max<int64_t>(1, block / threads), vector,
          int64_t(llvm::divideCeil(count, threads)), /*keeps=*/true};
}

/// Lower is better.
static double rank(const RowFusion &rows, const RowSchedule &s,
                   const DeviceProfile &profile) {
  double sms = std::max(1, profile.smCount);
  double blocks = double(llvm::divideCeil(rows.rows(), s.rows));
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
  for (int64_t threads = 1; threads <= 1024; threads *= 2) {
    for (int64_t block : {128, 256}) {
      RowSchedule schedule = keeping(rows, vector, threads, block);
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

/// Few threads per row, so that those of a warp read neighbours.
static void addAcross(const RowFusion &rows,
                      std::vector<RowSchedule> &schedules) {
  bool isMany = rows.rows() >= 16384;
  for (int64_t threads : {isMany ? 1 : 8, isMany ? 4 : 32, isMany ? 16 : 2}) {
    schedules.push_back({threads, 256 / threads, 1, 8, /*keeps=*/false});
  }
}

static std::vector<RowSchedule> withLaunches(std::vector<RowSchedule> schedules,
                                             const DeviceProfile &profile) {
  for (RowSchedule &schedule : schedules) {
    schedule.programmatic = profile.smVersion >= 90;
  }
  return schedules;
}

std::vector<RowSchedule> enumerateSchedules(const RowFusion &rows,
                                            const DeviceProfile &profile) {
  std::vector<RowSchedule> schedules;
  if (runsAcross(rows)) {
    addAcross(rows, schedules);
    return withLaunches(std::move(schedules), profile);
  }
  int64_t widest = widestVector(rows);
  addKeeping(rows, widest, schedules);
  if (widest > 1) {
    addKeeping(rows, widest / 2, schedules);
  }
  llvm::stable_sort(schedules, [&](const auto &a, const auto &b) {
    return rank(rows, a, profile) < rank(rows, b, profile);
  });
  if (schedules.size() > kMostSchedules) {
    schedules.resize(kMostSchedules);
  }
  if (schedules.empty()) {
    for (int64_t threads : {1024, 512, 256}) {
      for (int64_t held : {16, 8}) {
        int64_t unroll = std::max<int64_t>(1, held / widest);
        schedules.push_back({threads, 1, widest, unroll, /*keeps=*/false});
      }
    }
  }
  return withLaunches(std::move(schedules), profile);
}

std::string mismatch(const RowFusion &rows, const RowSchedule &schedule) {
  if (rows.extents.back() % schedule.vector != 0) {
    return "vectors of " + std::to_string(schedule.vector) +
           " do not divide rows of " + std::to_string(rows.extents.back());
  }
  if (schedule.keeps && schedule.step() < rows.columns()) {
    return "threads keep " + std::to_string(schedule.step()) + " of " +
           std::to_string(rows.columns()) + " columns";
  }
  return {};
}

std::string toString(const RowSchedule &schedule) {
  auto text = [](int64_t value) { return std::to_string(value); };
  return "rows " + text(schedule.threads) + "x" + text(schedule.rows) + " " +
         text(schedule.vector) + "x" + text(schedule.unroll) +
         (schedule.keeps ? "" : " again") +
         (schedule.programmatic ? " pdl" : "");
}

DictionaryAttr toAttr(const RowSchedule &schedule, MLIRContext *context) {
  Builder b(context);
  auto number = [&](StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  };
  return b.getDictionaryAttr(
      {number("keep", schedule.keeps), number("pdl", schedule.programmatic),
       number("rows", schedule.rows), number("threads", schedule.threads),
       number("unroll", schedule.unroll), number("vector", schedule.vector)});
}

FailureOr<RowSchedule> parseRowSchedule(DictionaryAttr attr, Location loc) {
  RowSchedule schedule;
  bool isKnown = attr && attr.size() == 6;
  auto read = [&](StringRef name, int64_t least, int64_t most) {
    auto value = attr ? attr.getAs<IntegerAttr>(name) : IntegerAttr();
    isKnown =
        isKnown && value && value.getInt() >= least && value.getInt() <= most;
    return isKnown ? value.getInt() : least;
  };
  schedule.keeps = read("keep", 0, 1) != 0;
  schedule.programmatic = read("pdl", 0, 1) != 0;
  schedule.rows = read("rows", 1, 1024);
  schedule.threads = read("threads", 1, 1024);
  schedule.unroll = read("unroll", 1, 64);
  schedule.vector = read("vector", 1, 16);
  isKnown = isKnown && llvm::isPowerOf2_64(schedule.threads) &&
            llvm::isPowerOf2_64(schedule.vector) &&
            llvm::isPowerOf2_64(schedule.rows) &&
            schedule.blockThreads() >= 32 && schedule.blockThreads() <= 1024;
  if (!isKnown) {
    return emitError(loc,
                     "rows expects a schedule {keep, pdl, rows, "
                     "threads, unroll, vector} of 32 to 1024 threads, got ")
           << attr;
  }
  return schedule;
}

} // namespace minic::cuda
