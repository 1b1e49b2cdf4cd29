// SPDX-License-Identifier: Apache-2.0
//
// Few elements are spread over many small blocks, and long reductions over many
// threads.

#include "compiler/target/cuda/loops/LoopsSchedule.h"

#include "compiler/target/cuda/LaunchTime.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

constexpr int64_t kLeastBlock = 32, kMostBlock = 256, kWarp = 32;
constexpr int64_t kLargestBlock = 1024; // that a GPU launches

/// The widest block for `threads` per element of which every SM gets some.
static LoopsSchedule makeSchedule(const MapLoops &loops, int64_t threads,
                                  const DeviceProfile &profile) {
  int64_t sms = std::max(1, profile.smCount);
  LoopsSchedule schedule{std::max(kMostBlock, threads), threads,
                         profile.smVersion >= 90};
  while (schedule.block > std::max(kLeastBlock, threads) &&
         loops.pointCount() < schedule.blockElements() * 2 * sms) {
    schedule.block /= 2;
  }
  return schedule;
}

std::vector<LoopsSchedule> enumerateSchedules(const MapLoops &loops,
                                              const DeviceProfile &profile) {
  std::vector<LoopsSchedule> schedules = {makeSchedule(loops, 1, profile)};
  // Several points for each thread, or merging is more than they are.
  for (int64_t threads : {int64_t(8), kWarp, kMostBlock, kLargestBlock}) {
    if (loops.reductionPoints() >= 4 * threads) {
      schedules.push_back(makeSchedule(loops, threads, profile));
    }
  }
  return schedules;
}

/// Of what memory delivers, the part that a warp's accesses use: all where
/// threads read neighbours, a few bytes of each line elsewhere.
static double usedPart(const MapLoops &loops, const LoopsSchedule &schedule) {
  if (loops.reductionPoints() == 1) {
    return 1;
  }
  bool isAcross = schedule.threads == 1;
  if (isAcross == loops.reducesRows()) {
    return 0.25;
  }
  return isAcross || schedule.threads >= kWarp ? 1 : 0.7;
}

double estimateUs(const MapLoops &loops, const LoopsSchedule &schedule,
                  double bytes, const DeviceProfile &profile) {
  // An op with its loads and the 64-bit arithmetic of its addresses: how many
  // instructions it is, counted, and how long a thread waits for it where it
  // waits for nothing else, 40 cycles. Concats took about three times what this
  // says (docs/measurements/2026-11-26-cuda-2.md). No other family takes such
  // bodies, so it only decides how many threads share an element
  // (docs/measurements/2026-11-28-constants.md).
  constexpr double kInstructions = 20, kWaitUs = 20e-3;
  int64_t shares = std::min(schedule.threads, loops.reductionPoints());
  double merges = double(llvm::Log2_64(std::min(schedule.threads, kWarp)) +
                         schedule.threads / kWarp);
  double ops = std::max(1.0, double(loops.opsPerPoint()) / double(shares));
  double threads = double(loops.pointCount()) * double(schedule.threads);
  // A peak counts the two operations of an FMA.
  double perUs = profile.peakGflops / 2 * 1e3;
  double computeUs =
      perUs > 0 ? threads * (ops + merges) * kInstructions / perUs : 0;
  double memoryUs = profile.memoryGBs > 0 ? bytes / profile.memoryGBs * 1e-3 /
                                                usedPart(loops, schedule)
                                          : 0;
  double waves = 1;
  if (profile.smCount > 0 && profile.threadsPerSm > 0) {
    waves = std::max(1.0, threads / (double(profile.smCount) *
                                     double(profile.threadsPerSm)));
  }
  double waitUs = waves * (ops + merges) * kWaitUs;
  return launchUs + std::max({memoryUs, computeUs, waitUs});
}

std::string toString(const LoopsSchedule &schedule) {
  std::string text = "loops block=" + std::to_string(schedule.block);
  if (schedule.threads != 1) {
    text += " threads=" + std::to_string(schedule.threads) + " per element";
  }
  return text + (schedule.programmatic ? " pdl" : "");
}

DictionaryAttr toAttr(const LoopsSchedule &schedule, MLIRContext *context) {
  Builder b(context);
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr("block", b.getI64IntegerAttr(schedule.block)),
      b.getNamedAttr("threads", b.getI64IntegerAttr(schedule.threads))};
  if (schedule.programmatic) {
    entries.push_back(b.getNamedAttr("pdl", b.getI64IntegerAttr(1)));
  }
  return b.getDictionaryAttr(entries);
}

FailureOr<LoopsSchedule> parseLoopsSchedule(DictionaryAttr attr, Location loc) {
  auto read = [&](StringRef name) -> int64_t {
    auto value = attr ? attr.getAs<IntegerAttr>(name) : IntegerAttr();
    bool isPower = value && llvm::isPowerOf2_64(uint64_t(value.getInt()));
    return isPower ? value.getInt() : 0;
  };
  LoopsSchedule schedule{read("block"), read("threads"), read("pdl") == 1};
  if (!attr || attr.size() != (schedule.programmatic ? 3 : 2) ||
      schedule.block < kLeastBlock || schedule.block > kLargestBlock ||
      schedule.threads < 1 || schedule.threads > schedule.block) {
    return emitError(loc, "loops expects a schedule {block, threads} of powers "
                          "of two, 32 to 1024 threads of a block and no more "
                          "of them per element, got ")
           << attr;
  }
  return schedule;
}

} // namespace minic::cuda
