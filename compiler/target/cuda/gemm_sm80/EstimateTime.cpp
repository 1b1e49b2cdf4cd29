// SPDX-License-Identifier: Apache-2.0
//
// How long a GEMM takes, from what bounds it. The constants are of one H200 and
// need to be right only among schedules of one problem.

#include "compiler/target/cuda/gemm_sm80/EnumerateSchedules.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

namespace {

/// Cycles of an SM, for one geometry on one device.
class TimeModel {
public:
  TimeModel(const GemmSm80Geometry &g, const DeviceProfile &profile)
      : g_(g), profile_(profile), s_(g.schedule) {}

  double microseconds() const {
    double sms = std::max(profile_.smCount, 1);
    double hertz = std::max(profile_.clockMHz, 500.0) * 1e6;
    double blocks = double(g_.blocks());
    double resident = sms * blocksPerSm();
    double waves = std::floor(blocks / resident);
    double cycles = waves * waveCycles(blocksPerSm());
    double rest = blocks - waves * resident;
    if (rest > 0) {
      cycles += waveCycles(std::ceil(rest / sms));
    }
    double seconds = std::max(cycles / hertz, memorySeconds());
    seconds += 0.15 * std::min(cycles / hertz, memorySeconds());
    return 1e6 * seconds + launch + splitMicroseconds();
  }

private:
  static constexpr double launch = 1.0;

  double blocksPerSm() const {
    double shared =
        double(profile_.sharedBytesPerSm) / double(g_.sharedBytes() + 1024);
    double registers = double(profile_.registersPerSm) /
                       double(llvm::alignTo(g_.registers(), 8) * s_.threads());
    double threads = double(profile_.threadsPerSm) / double(s_.threads());
    return std::max(1.0,
                    std::floor(std::min({shared, registers, threads, 16.0})));
  }

  /// Multiply-adds of an SM per cycle. mma.sync reaches the tensor cores' peak
  /// on sm_8x, and less of it where another instruction is the native one.
  double rate() const {
    double cyclesPerSecond =
        profile_.clockMHz * 1e6 * std::max(profile_.smCount, 1);
    double reached = profile_.smVersion >= 90 ? 0.62 : 0.9;
    switch (s_.math) {
    case GemmMath::Mma:
      return reached * profile_.tensorGflops16 * 1e9 / 2 / cyclesPerSecond;
    case GemmMath::Tf32:
      return reached * profile_.tensorGflopsTf32 * 1e9 / 2 / cyclesPerSecond;
    case GemmMath::Tf32x3:
      return reached * profile_.tensorGflopsTf32 * 1e9 / 2 / cyclesPerSecond /
             3.6;
    case GemmMath::Ffma:
      break;
    }
    return 0.75 * profile_.peakGflops * 1e9 / 2 / cyclesPerSecond;
  }

  /// `blocks` blocks of one SM, together.
  double waveCycles(double blocks) const {
    double tile = double(s_.bm) * double(s_.bn);
    double multiply = tile * double(s_.bk) / rate();
    // Each scheduler feeds its own tensor core.
    double busy = std::min(1.0, blocks * double(s_.warps()) / 4);
    double warps = double(s_.warps());
    double sharedBytes = warps * double(g_.warpTileM + g_.warpTileN) *
                             double(g_.rowBytes) / double(s_.warpsK) +
                         double(g_.stageBytes());
    double l2 = double(g_.stageBytes()) / 34;
    double narrow =
        double(g_.lhs.accessBytes < 16 ? g_.lhsTileBytes() / g_.lhs.accessBytes
                                       : 0) /
        12;
    double throughput =
        blocks * std::max({multiply / busy, sharedBytes / 128, l2, narrow});
    double steps = double(g_.rowBytes) / 32 / double(s_.warpsK);
    double chain = 90 + steps * 40;
    double memoryLatency = 900.0 / double(s_.stages - 1);
    double perStage = std::max({throughput, chain, memoryLatency});
    double epilogue = 600 + blocks * tile * double(s_.warpsK + 1) * 4 / 100;
    return 1500 + double(g_.kBlocksPerSplit) * perStage + epilogue;
  }

  double memorySeconds() const {
    double bytes = double(g_.gemm.m + g_.gemm.n) * double(g_.gemm.k) *
                   double(g_.elementBytes);
    bytes += double(g_.gemm.m) * double(g_.gemm.n) * 4;
    return bytes * double(g_.raster.batches) /
           (0.9e9 * std::max(profile_.memoryGBs, 1.0));
  }

  /// Writing partial sums, meeting, reading them by one block of each tile.
  double splitMicroseconds() const {
    if (s_.splitK == 1) {
      return 0;
    }
    double traffic = double(g_.workspaceBytes()) * 2 / 3e12;
    double read = double(s_.splitK) * double(s_.bm) * double(s_.bn) * 4 / 60 /
                  (profile_.clockMHz * 1e6);
    return 1.3 + 1e6 * (traffic + read);
  }

  const GemmSm80Geometry &g_;
  const DeviceProfile &profile_;
  const GemmSm80Schedule &s_;
};

} // namespace

double estimateMicroseconds(const GemmSm80Geometry &geometry,
                            const DeviceProfile &profile) {
  if (geometry.blocks() == 0) {
    return 0;
  }
  double time = TimeModel(geometry, profile).microseconds();
  if (geometry.schedule.padLhs && !geometry.lhs.isDense()) {
    // A kernel that copies lhs comes first.
    double bytes = 2.0 * double(geometry.lhs.rows) *
                   double(geometry.lhs.pitch * geometry.elementBytes);
    time += 2.0 + 1e-3 * bytes / std::max(profile.memoryGBs, 1.0);
  }
  return time;
}

} // namespace minic::cuda
