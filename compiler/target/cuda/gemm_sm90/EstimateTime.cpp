// SPDX-License-Identifier: Apache-2.0
//
// What a wave of gemm_sm90's blocks takes.

#include "compiler/target/cuda/gemm_sm90/EnumerateSchedules.h"

#include "compiler/target/cuda/gemm/GemmTime.h"

#include "llvm/Support/MathExtras.h"

namespace minic::cuda {

namespace {

/// Cycles of an SM, for one geometry on one device.
class TimeModel final : public GemmTime {
public:
  TimeModel(const GemmSm90Geometry &g, const DeviceProfile &profile)
      : GemmTime(g, g.schedule, g.stageBytes(), residents(g, profile),
                 g.copied(), profile),
        g_(g), s_(g.schedule),
        rate_(reached * multiplyAddsPerCycle(profile.tensorGflops16)) {}

private:
  /// Of the tensor cores' peak; the rest is what the chip's power allows.
  /// Kernels of wgmma reached 0.95 of it per cycle on an H200.
  static constexpr double reached = 0.9;
  /// Without clusters 128x224x64 tiles reached 0.96 of the peak on an H200,
  /// which is 50 bytes per cycle, and 128x128x64 nearly 60.
  static constexpr double l2BytesPerCycle = 58;
  /// What a pass waits for its residuals, of which the first ones are loaded
  /// while tensor cores are busy: fitted to 1x1 convolutions of a ResNet-50
  /// with batch 32 on an H200.
  static constexpr double rowsLatency = 600;
  /// Of one access of fewer than 8 residuals: tiles of 64x128 took 3.3 us
  /// longer than those of 64x32 in a 1x1 convolution of 196 pixels in NCHW on
  /// an H200, which is 0.27 us for each of the 12 accesses that they have more.
  static constexpr double narrowLatency = 500;
  /// Instructions of an SM, times the lanes of a warp.
  static constexpr double lanesPerCycle = 128;

  /// Blocks of this launch that an SM has at once: of a ping-pong there are not
  /// more than it asks for, where there is room for the next launch's.
  static int64_t residents(const GemmSm90Geometry &g,
                           const DeviceProfile &profile) {
    int64_t fit = g.blocksPerSm(profile);
    auto asked = int64_t(llvm::divideCeil(
        uint64_t(g.residentBlocks()), uint64_t(std::max(profile.smCount, 1))));
    return g.schedule.isPingPong() ? std::min(fit, asked) : fit;
  }

  bool overlapsEpilogues() const override { return s_.isPingPong(); }

  double waveCycles(double blocks) const override {
    double tile = double(g_.tileSums);
    double multiply = tile * double(s_.bk) / rate_;
    // wgmma reads both operands from shared memory, lhs once more for each
    // warp group along N.
    double reads = double(s_.bm) / 64 * double(s_.bn + 64 * s_.warpGroupsN) *
                   double(g_.rowBytes);
    // Copies write there, too.
    double shared = (reads + double(g_.stageBytes())) / sharedBytesPerCycle;
    double copies = copyCycles(l2BytesPerCycle) * ownPart();
    // Every thread makes its part of a stage between two barriers.
    double prologue = prologueCycles();
    double throughput =
        blocks * (std::max({multiply, shared, copies}) + prologue);
    // Tensor cores are busy with one stage while warps pass the barrier of the
    // next, if it lasts as long as that.
    // With TMA they only look whether the stage is full.
    double chain = (s_.tma ? 40 : 120) + 0.5 * multiply;
    chain += prologue > 0 ? 100 + prologue : 0;
    double latency = memoryLatency / double(g_.stagesAhead());
    double bound = std::max({throughput, chain, latency});
    // Nothing overlaps wholly, most where copies go on from tile to tile.
    double apart = s_.isPingPong() ? 0.04 : 0.15;
    double perStage =
        (1 - apart) * bound + apart * (throughput + chain + latency);
    double epilogue =
        500 + blocks * tile *
                  (double(s_.warpGroupsK + 1) * 4 / sharedBytesPerCycle +
                   double(g_.epilogueInstructions) / lanesPerCycle);
    double products = double(g_.kBlocksPerSplit) * perStage;
    if (!s_.isPingPong()) {
      return 1300 + products + epilogue + narrowWaits();
    }
    if (g_.readsRows) {
      // Each pass waits for what it reads.
      double waits = double(s_.bm) / 64 *
                     std::ceil(double(s_.bn) / double(g_.passColumns()));
      if (!g_.finishesInRegisters) {
        waits *= double(llvm::divideCeil(uint64_t(g_.passAccesses()),
                                         uint64_t(g_.accessesAtOnce())));
      }
      epilogue += waits * rowsLatency;
    }
    // One team's epilogue runs while the other multiplies.
    double turns = std::ceil(double(g_.blocks()) / double(g_.residentBlocks()));
    return std::max(products, (products + epilogue) / 2) +
           (1300 + epilogue) / turns;
  }

  /// A thread waits for each access to residuals. Wide ones are among what
  /// GemmTime has for them; of narrow ones there are more.
  double narrowWaits() const {
    constexpr int64_t wide = 8;
    if (!g_.readsRows || g_.lanes >= wide) {
      return 0;
    }
    // Warp groups along K wait for each other.
    double sums =
        double(g_.tileSums) / double(128 * s_.warpGroupsM * s_.warpGroupsN);
    return (sums / double(g_.lanes) - sums / double(wide)) * narrowLatency;
  }

  /// Of a stage's bytes, what the block asks L2 for itself.
  double ownPart() const {
    double lhs = double(s_.bm) / double(s_.multicastN),
           rhs = double(s_.bn) / double(s_.multicastM);
    return (lhs + rhs) / double(s_.bm + s_.bn);
  }

  const GemmSm90Geometry &g_;
  const GemmSm90Schedule &s_;
  double rate_;
};

} // namespace

double estimateMicroseconds(const GemmSm90Geometry &geometry,
                            const DeviceProfile &profile) {
  return TimeModel(geometry, profile).microseconds();
}

} // namespace minic::cuda
