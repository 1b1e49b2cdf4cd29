// SPDX-License-Identifier: Apache-2.0
//
// Sixteen bytes of the narrowest tensor per access, as far as the rest of the
// device still has work.

#include "compiler/target/cuda/pointwise/PointwiseSchedule.h"

#include "compiler/target/cuda/pointwise/PointAccess.h"
#include "compiler/target/cuda/pointwise/TurnedPoints.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

/// Lanes beyond this cost registers and save no instruction.
constexpr int64_t kMaxVector = 8;

/// Whether a body has forms of which `lanes` points are more than one access
/// each, in a tensor that has neighbours for them.
static bool breaksUp(const PointwiseLoops &loops, ArrayRef<Type> dtypes,
                     int64_t lanes) {
  bool hasMoves =
      loops.pairsPerRow > 0 ||
      llvm::any_of(loops.reads,
                   [](const PointwiseLoops::Read &read) {
                     return !read.pieces.empty();
                   }) ||
      llvm::any_of(loops.results, [](const PointwiseLoops::Write &write) {
        return write.updated.has_value();
      });
  return hasMoves &&
         (llvm::any_of(loops.reads,
                       [&](const PointwiseLoops::Read &read) {
                         return read.strides.back() != 0 &&
                                !isOneAccess(loops, read, lanes);
                       }) ||
          llvm::any_of(llvm::zip_equal(loops.results, dtypes), [&](auto each) {
            auto [write, type] = each;
            return !isOneAccess(loops, write, type, lanes);
          }));
}

/// Squares of as many bytes as one access has, of all types alike; where the
/// device has work for a quarter of its SMs, since a thread has much of it.
static std::vector<PointwiseSchedule>
turnedSchedules(const PointwiseLoops &loops, ArrayRef<Type> dtypes,
                const DeviceProfile &profile) {
  std::vector<PointwiseSchedule> schedules;
  int64_t bytes = kernel::getElementBytes(dtypes.front());
  auto isAlike = [&](Type type) {
    return kernel::getElementBytes(type) == bytes;
  };
  int64_t lanes = std::min(kMaxVector, 16 / bytes);
  auto turned = TurnedPoints::get(loops, dtypes, lanes);
  if (!turned && lanes > 4) {
    // Such as 14 x 14 pixels.
    turned = TurnedPoints::get(loops, dtypes, lanes /= 2);
  }
  if (!turned || !llvm::all_of(dtypes, isAlike) ||
      !llvm::all_of(loops.reads,
                    [&](const auto &read) { return isAlike(read.storage); })) {
    return schedules;
  }
  for (int64_t threads : {128, 64, 256}) {
    PointwiseSchedule schedule{lanes, 1, threads, profile.smVersion >= 90};
    schedule.turned = true;
    int64_t blocks = llvm::divideCeil(turned->squares(), threads);
    if (!profile.asksForAll() && 4 * blocks < profile.smCount) {
      continue;
    }
    schedules.push_back(schedule);
    if (profile.asksForAll() && schedule.programmatic) {
      schedules.push_back(schedule);
      schedules.back().programmatic = false;
    }
  }
  return schedules;
}

std::vector<PointwiseSchedule>
enumerateSchedules(const PointwiseLoops &loops, ArrayRef<Type> dtypes,
                   const DeviceProfile &profile) {
  int64_t narrowest = 8;
  for (Type type : dtypes) {
    narrowest = std::min(narrowest, kernel::getElementBytes(type));
  }
  for (const PointwiseLoops::Read &read : loops.reads) {
    if (read.strides.back() == 1) {
      narrowest = std::min(narrowest, kernel::getElementBytes(read.storage));
    }
  }
  int64_t widest = std::min(kMaxVector, 16 / narrowest);
  while (widest > 1 && breaksUp(loops, dtypes, widest)) {
    widest /= 2;
  }
  int64_t total = loops.rows() * loops.columns();
  int64_t values = int64_t(loops.nodes.size()) * loops.elementsPerPoint();
  // Each lane of a transposed operand is an access of its own, which
  // neighbouring threads should share lines of.
  if (loops.isTransposing()) {
    widest = 1;
  }
  int64_t sms = std::max(1, profile.smCount);
  bool all = profile.asksForAll();
  std::vector<PointwiseSchedule> schedules;
  for (int64_t vector = widest; vector >= 1; vector /= 2) {
    for (int64_t unroll : {1, 2, 4}) {
      for (int64_t threads : {128, 256}) {
        PointwiseSchedule schedule{vector, unroll, threads,
                                   profile.smVersion >= 90};
        // Twice the registers of a body are more than a thread should hold.
        bool isLong = values * vector * unroll > 128;
        int64_t blocks = llvm::divideCeil(total, schedule.blockElements());
        bool starves = unroll > 1 && blocks < 2 * sms;
        if (!all && ((isLong && unroll > 1) || starves)) {
          continue;
        }
        schedules.push_back(schedule);
        if (all && schedule.programmatic) {
          schedules.push_back(schedule);
          schedules.back().programmatic = false;
        }
      }
    }
  }
  // Full vectors where every SM has a block; below that, narrower ones.
  auto rank = [&](const PointwiseSchedule &s) {
    int64_t blocks = llvm::divideCeil(total, s.blockElements());
    bool fills = blocks >= sms;
    return std::tuple(fills ? 0 : 1, fills ? -s.vector : s.vector,
                      s.unroll == 2 ? 0 : s.unroll, s.threads == 256 ? 0 : 1,
                      s.vector, s.programmatic ? 0 : 1);
  };
  llvm::sort(schedules,
             [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
  if (!all && schedules.size() > 8) {
    schedules.resize(8);
  }
  if (loops.isTransposing()) {
    auto turned = turnedSchedules(loops, dtypes, profile);
    schedules.insert(schedules.begin(), turned.begin(), turned.end());
  }
  return schedules;
}

std::string toString(const PointwiseSchedule &schedule) {
  return "pointwise " + std::to_string(schedule.vector) + "x" +
         std::to_string(schedule.turned ? schedule.vector : schedule.unroll) +
         (schedule.turned ? " turned" : "") +
         " threads=" + std::to_string(schedule.threads) +
         (schedule.programmatic ? " pdl" : "");
}

DictionaryAttr toAttr(const PointwiseSchedule &schedule, MLIRContext *context) {
  Builder b(context);
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr("threads", b.getI64IntegerAttr(schedule.threads)),
      b.getNamedAttr("unroll", b.getI64IntegerAttr(schedule.unroll)),
      b.getNamedAttr("vector", b.getI64IntegerAttr(schedule.vector))};
  if (schedule.programmatic) {
    entries.push_back(b.getNamedAttr("pdl", b.getI64IntegerAttr(1)));
  }
  if (schedule.turned) {
    entries.push_back(b.getNamedAttr("turned", b.getI64IntegerAttr(1)));
  }
  return b.getDictionaryAttr(entries);
}

FailureOr<PointwiseSchedule> parsePointwiseSchedule(DictionaryAttr attr,
                                                    Location loc) {
  PointwiseSchedule schedule;
  auto isSet = [&](StringRef name) {
    auto value = attr ? attr.getAs<IntegerAttr>(name) : IntegerAttr();
    return value && value.getInt() == 1;
  };
  schedule.programmatic = isSet("pdl");
  schedule.turned = isSet("turned");
  size_t size = 3 + schedule.programmatic + schedule.turned;
  bool isKnown = attr && attr.size() == size;
  auto read = [&](StringRef name, int64_t most, int64_t &field) {
    auto value = attr ? attr.getAs<IntegerAttr>(name) : IntegerAttr();
    isKnown = isKnown && value && value.getInt() >= 1 &&
              value.getInt() <= most && llvm::isPowerOf2_64(value.getInt());
    field = isKnown ? value.getInt() : 1;
  };
  read("threads", 1024, schedule.threads);
  read("unroll", 8, schedule.unroll);
  read("vector", 16, schedule.vector);
  if (!isKnown || schedule.threads < 32) {
    return emitError(loc,
                     "pointwise expects a schedule {threads, unroll, "
                     "vector} of powers of two, pdl and turned of 1 or none, "
                     "got ")
           << attr;
  }
  return schedule;
}

} // namespace minic::cuda
