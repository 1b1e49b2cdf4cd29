// SPDX-License-Identifier: Apache-2.0
//
// Some hundred threads to a block, about one or two blocks to a
// multiprocessor, and no more of the image per thread than registers hold.

#include "compiler/target/cuda/group_norm/GroupNormGeometry.h"

#include "compiler/target/cuda/EpilogueEmitter.h"
#include "compiler/target/cuda/LaunchTime.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;

namespace minic::cuda {

/// Indices and offsets have 32 bits.
static constexpr int64_t kMost = INT32_MAX / 2;
static constexpr int64_t kMostThreads = 1024;
/// Beside them there is what is known of channels, at most 64 KB. Devices that
/// have less are offered less.
static constexpr int64_t kMostTurnedBytes = 96 * 1024;

static double bytesOf(Value value) {
  return double(kernel::getBytes(cast<RankedTensorType>(value.getType())));
}

static void setTraffic(GroupNormGeometry &g, const GroupNormFusion &fusion) {
  g.inputBytes = bytesOf(fusion.input);
  for (BlockArgument each : fusion.input.getOwner()->getArguments()) {
    g.readBytes += bytesOf(each);
  }
  for (Value each : fusion.after.results) {
    g.writtenBytes += bytesOf(each);
  }
  g.epilogueInstructions = EpilogueEmitter::instructionCount(fusion.after);
}

FailureOr<GroupNormGeometry>
GroupNormGeometry::get(const GroupNormFusion &fusion,
                       const GroupNormSchedule &schedule, std::string *reason) {
  auto fail = [&](const char *why) {
    if (reason) {
      *reason = why;
    }
    return failure();
  };
  GroupNormGeometry result;
  result.schedule = schedule;
  result.images = fusion.images, result.pixels = fusion.pixels;
  result.channels = fusion.channels, result.groups = fusion.groups;
  result.vector = 16 / kernel::getElementBytes(fusion.dtype);
  result.readsPlanes = fusion.readsPlanes;
  if (result.channels % 8 != 0) {
    return fail("channels are no multiple of 8");
  }
  if (result.readsPlanes && result.pixels % result.vector != 0) {
    return fail("planes that are no whole vectors of 16 bytes");
  }
  if (result.pixels > kMost / result.images ||
      result.images * result.pixels > kMost / result.channels) {
    return fail("images too large");
  }
  if (result.busyThreads() > kMostThreads) {
    return fail("more channels of pixels at a time than a block has threads");
  }
  if ((schedule.blocks - 1) * result.chunk() >= result.pixels) {
    return fail("blocks without pixels");
  }
  if (result.turnedBytes() > kMostTurnedBytes) {
    return fail("more pixels of planes to a block than shared memory holds");
  }
  if (result.workspaceBytes() > kMost) {
    return fail("more blocks and groups than 32 bits number");
  }
  setTraffic(result, fusion);
  return result;
}

int64_t GroupNormGeometry::groupThreads() const {
  int64_t each = std::clamp<int64_t>(threads() / groups, 1, 32);
  return int64_t(llvm::bit_floor(uint64_t(each)));
}

//===----------------------------------------------------------------------===//
// Estimate
//===----------------------------------------------------------------------===//

namespace {

/// Of a multiprocessor, and cycles of a load: the GEMM families', of one H200.
constexpr double kL2BytesPerCycle = 52, kMemoryLatency = 900;
/// Cycles for a part that a thread merges, and for an exchange with neighbours.
constexpr double kPartCycles = 12, kExchangeCycles = 80;

class TimeModel {
public:
  TimeModel(const GroupNormGeometry &geometry, const DeviceProfile &profile)
      : g(geometry), profile(profile) {}

  double microseconds() const {
    double launch = launchUs - (g.schedule.programmatic ? 0.5 : 0);
    double pixels = g.readBytes + g.inputBytes + g.writtenBytes;
    double memoryUs = pixels / std::min(memoryPerUs(pixels), reachable());
    return 2 * launch + std::max(memoryUs, computeUs()) +
           partBytes() / memoryPerUs(0) +
           toUs(mergingCycles() + turningCycles() + kMemoryLatency);
  }

private:
  double blocks() const { return double(g.images * g.schedule.blocks); }
  double sms() const { return std::max(profile.smCount, 1); }
  double toUs(double cycles) const {
    return cycles / std::max(profile.clockMHz, 500.0);
  }

  /// Each block of the second launch reads what all of its image have left.
  double partBytes() const {
    return blocks() * double(g.schedule.blocks * g.groups) * 8;
  }

  /// Bytes per microsecond of what was just written, which is in L2, or of
  /// memory.
  double memoryPerUs(double bytes) const {
    double perUs =
        profile.memoryGBs * 1e3 * (bytes < double(profile.l2Bytes) ? 2 : 1);
    return perUs > 0 ? perUs : INFINITY;
  }

  /// The same of the multiprocessors that have a block, by the loads that its
  /// threads have on their way.
  double reachable() const {
    double threads = double(g.threads());
    double resident =
        std::clamp(blocks() / sms(), 1.0,
                   std::max(1.0, double(profile.threadsPerSm) / threads));
    double underWay = resident * threads * 16 *
                      double(std::min(g.schedule.unroll, g.steps()));
    double perCycle = std::min(kL2BytesPerCycle, underWay / kMemoryLatency);
    return std::min(blocks(), sms()) * perCycle *
           std::max(profile.clockMHz, 500.0);
  }

  /// Of both launches: each thread's parts of a group, then its neighbours'.
  double mergingCycles() const {
    double threads = double(g.groupThreads());
    double turns = std::ceil(double(g.groups) * threads / double(g.threads()));
    double parts = double(g.schedule.pixels * g.perGroup() + g.schedule.blocks);
    return turns * (std::ceil(parts / threads) * kPartCycles +
                    2 * std::log2(threads) * kExchangeCycles);
  }

  /// Of both launches: shared memory takes and gives 128 bytes a cycle.
  double turningCycles() const {
    double resident = std::max(1.0, std::ceil(blocks() / sms()));
    return 2 * 2 * resident * double(g.turnedBytes()) / 128;
  }

  double computeUs() const {
    constexpr double statistics = 7, normalizing = 4;
    double instructions =
        statistics + normalizing + double(g.epilogueInstructions);
    double elements = double(g.images * g.pixels * g.channels);
    double busy = std::min(1.0, blocks() / sms());
    return profile.peakGflops > 0 ? elements * instructions /
                                        (profile.peakGflops / 2 * busy) * 1e-3
                                  : 0;
  }

  const GroupNormGeometry &g;
  const DeviceProfile &profile;
};

} // namespace

double GroupNormGeometry::estimateUs(const DeviceProfile &profile) const {
  return TimeModel(*this, profile).microseconds();
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// How many pixels a block has at a time: about 256 threads of work, and half
/// and twice as many.
static SmallVector<int64_t> pixelsAtATime(const GroupNormFusion &fusion,
                                          bool all) {
  int64_t vectors =
      fusion.channels * kernel::getElementBytes(fusion.dtype) / 16;
  int64_t most = int64_t(llvm::bit_ceil(uint64_t(fusion.pixels)));
  SmallVector<int64_t> found;
  for (int64_t threads : {256, 512, 128, 1024, 64}) {
    bool isUsual = threads >= 128 && threads <= 512;
    int64_t pixels = std::min(
        most,
        int64_t(llvm::bit_ceil(uint64_t(llvm::divideCeil(threads, vectors)))));
    while (pixels > 1 && pixels * vectors > kMostThreads) {
      pixels /= 2;
    }
    if ((all || isUsual) && !llvm::is_contained(found, pixels)) {
      found.push_back(pixels);
    }
  }
  return found;
}

/// Of an image, whose pixels come in whole steps of `pixels`.
static int64_t blocksFor(const GroupNormFusion &fusion, int64_t pixels,
                         int64_t wanted) {
  wanted = std::clamp<int64_t>(wanted, 1, 4096);
  int64_t chunk = int64_t(llvm::divideCeil(fusion.pixels, wanted));
  // Both are powers of two.
  int64_t step = fusion.readsPlanes
                     ? std::max<int64_t>(
                           pixels, 16 / kernel::getElementBytes(fusion.dtype))
                     : pixels;
  chunk = int64_t(llvm::alignTo(uint64_t(chunk), uint64_t(step)));
  int64_t blocks = int64_t(llvm::divideCeil(fusion.pixels, chunk));
  // Chunks of equal sizes may be fewer.
  return int64_t(
      llvm::divideCeil(fusion.pixels, llvm::divideCeil(fusion.pixels, blocks)));
}

/// Pixels of which a thread has a vector each at a time: those of its chunk, if
/// registers hold them and what follows the norm reads there.
static int64_t unrollFor(const GroupNormFusion &fusion,
                         const GroupNormGeometry &g) {
  int64_t most = g.threads() <= 512 ? 8 : g.threads() <= 768 ? 4 : 2;
  int64_t bytes = 16;
  for (Value input : fusion.after.epilogueInputs) {
    Type storage = cast<RankedTensorType>(input.getType()).getElementType();
    bytes += g.vector * kernel::getElementBytes(storage);
  }
  constexpr int64_t mostBytes = 256;
  most = std::min(most, std::max<int64_t>(1, mostBytes / bytes));
  return std::min(g.steps(), most);
}

std::vector<GroupNormGeometry>
enumerateGroupNorms(const GroupNormFusion &fusion, const DeviceProfile &profile,
                    std::string *reason) {
  std::vector<GroupNormGeometry> found;
  bool all = profile.asksForAll(), isLate = profile.smVersion >= 90;
  auto add = [&](GroupNormSchedule schedule) {
    auto one = GroupNormGeometry::get(fusion, schedule, reason);
    if (failed(one)) {
      return;
    }
    if (std::max(one->sharedBytes(true), one->sharedBytes(false)) >
        profile.sharedBytesPerBlock) {
      *reason = "more shared memory than a block of the device has";
      return;
    }
    int64_t most = unrollFor(fusion, *one);
    for (int64_t unroll = most; unroll >= 1; unroll = all ? unroll / 2 : 0) {
      GroupNormGeometry each = *one;
      each.schedule.unroll = unroll;
      bool isKnown = llvm::any_of(found, [&](const GroupNormGeometry &other) {
        return other.schedule == each.schedule;
      });
      if (!isKnown) {
        found.push_back(each);
      }
    }
  };
  for (int64_t pixels : pixelsAtATime(fusion, all)) {
    for (int64_t perSm : {1, 2, 4}) {
      int64_t wanted = perSm * std::max(profile.smCount, 1) / fusion.images;
      int64_t blocks = blocksFor(fusion, pixels, wanted);
      add({pixels, 1, blocks, isLate});
      if (all && isLate) {
        add({pixels, 1, blocks, false});
      }
    }
  }
  llvm::stable_sort(found, [&](const auto &a, const auto &b) {
    return a.estimateUs(profile) < b.estimateUs(profile);
  });
  return found;
}

} // namespace minic::cuda
