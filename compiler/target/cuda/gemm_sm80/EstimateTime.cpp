// SPDX-License-Identifier: Apache-2.0
//
// What a wave of gemm_sm80's blocks takes.

#include "compiler/target/cuda/gemm_sm80/EnumerateSchedules.h"

#include "compiler/target/cuda/gemm/GemmTime.h"

using namespace mlir;

namespace minic::cuda {

namespace {

/// Cycles of an SM, for one geometry on one device.
class TimeModel final : public GemmTime {
public:
  TimeModel(const GemmSm80Geometry &g, const DeviceProfile &profile)
      : GemmTime(g, g.schedule, g.stageBytes(), g.blocksPerSm(profile),
                 g.copied(), profile),
        g_(g), profile_(profile), s_(g.schedule) {}

private:
  static constexpr double l2BytesPerCycle = 52, blockCycles = 900;

  /// Multiply-adds of an SM per cycle. mma.sync reaches the tensor cores' peak
  /// on sm_8x, and less of it where another instruction is the native one.
  double rate() const {
    double reached = profile_.smVersion >= 90 ? 0.62 : 0.9;
    switch (s_.math) {
    case GemmMath::Mma:
      return reached * multiplyAddsPerCycle(profile_.tensorGflops16);
    case GemmMath::Tf32:
      return reached * multiplyAddsPerCycle(profile_.tensorGflopsTf32);
    case GemmMath::Tf32x3:
      return reached * multiplyAddsPerCycle(profile_.tensorGflopsTf32) / 3;
    case GemmMath::Ffma:
      break;
    }
    return 0.75 * multiplyAddsPerCycle(profile_.peakGflops);
  }

  double waveCycles(double blocks) const override {
    double tile = double(s_.bm) * double(s_.bn);
    double warps = double(s_.warps());
    // Each scheduler feeds its own tensor core.
    double busy = std::min(1.0, blocks * warps / 4);
    double multiply = (tile * double(s_.bk) / rate() + splitCycles()) / busy;
    double shared = (warps * double(g_.warpTileM + g_.warpTileN) *
                         double(g_.rowBytes) / double(s_.warpsK) +
                     double(g_.stageBytes())) /
                    sharedBytesPerCycle;
    double copies = copyCycles(l2BytesPerCycle);
    // Every warp makes its part of a stage between two barriers.
    double prologue = prologueCycles();
    double throughput =
        blocks * (std::max({multiply, shared, copies}) + prologue);
    double steps = double(g_.rowBytes) / 32 / double(s_.warpsK);
    // The rests' two products wait for each other.
    double chain = 70 + steps * (isSplit() ? 72 : 36);
    chain += prologue > 0 ? 100 + prologue : 0;
    double latency = memoryLatency / double(s_.stages - 1);
    double bound = std::max({throughput, chain, latency});
    // Nothing overlaps wholly.
    double perStage = 0.85 * bound + 0.15 * (throughput + chain + latency);
    double epilogue =
        500 + blocks * tile * double(s_.warpsK + 1) * 4 / sharedBytesPerCycle;
    // Blocks of one SM begin and end one after the other, if K is so short that
    // their stages do not hide it: with 12544 rows of 16 columns and a K of 16
    // an H100 took 1.6 us for 98 blocks, 2.6 for 392 and 3.8 for 784.
    double stages = std::max(double(g_.kBlocksPerSplit) * perStage,
                             (blocks - 1) * blockCycles);
    return 1300 + stages + epilogue;
  }

  bool isSplit() const { return s_.math == GemmMath::Tf32x3; }

  /// What a stage costs an SM beside split floats' products: three instructions
  /// for each register that is split and one for each sum, a warp's in a cycle
  /// of each of four schedulers. With a warp or two on each the tensor cores
  /// wait meanwhile: an H200 took 680 cycles for a stage of 64x32x32 of which
  /// products were 310 and instructions, in an earlier kernel, 325.
  double splitCycles() const {
    if (!isSplit()) {
      return 0;
    }
    double registers =
        double(g_.warpTileM / 16 * 4 + g_.warpTileN / 8 * 2) * 3 +
        double(g_.accumulators());
    return registers * double(g_.rowBytes) / 32 / double(s_.warpsK) *
           double(s_.warps()) / 4;
  }

  const GemmSm80Geometry &g_;
  const DeviceProfile &profile_;
  const GemmSm80Schedule &s_;
};

} // namespace

double estimateMicroseconds(const GemmSm80Geometry &geometry,
                            const DeviceProfile &profile) {
  return TimeModel(geometry, profile).microseconds();
}

} // namespace minic::cuda
