// SPDX-License-Identifier: Apache-2.0
//
// How long a GEMM takes, from what bounds it. The constants are of one H200 and
// need to be right only among schedules of one problem.

#include "compiler/target/cuda/gemm_sm80/EnumerateSchedules.h"

#include "compiler/target/cuda/BodyEvaluator.h"
#include "compiler/target/cuda/LaunchTime.h"

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
    double perSm = double(g_.blocksPerSm(profile_));
    double resident = sms * perSm;
    double waves = std::floor(blocks / resident);
    double cycles = waves * waveCycles(perSm);
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
  static constexpr double sharedBytesPerCycle = 128, l2BytesPerCycle = 52;
  static constexpr double memoryLatency = 900; // cycles

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
             3;
    case GemmMath::Ffma:
      break;
    }
    return 0.75 * profile_.peakGflops * 1e9 / 2 / cyclesPerSecond;
  }

  /// `blocks` blocks of one SM, together.
  double waveCycles(double blocks) const {
    double tile = double(s_.bm) * double(s_.bn);
    double warps = double(s_.warps());
    // Each scheduler feeds its own tensor core.
    double busy = std::min(1.0, blocks * warps / 4);
    double multiply = (tile * double(s_.bk) / rate() + splitCycles()) / busy;
    double shared = (warps * double(g_.warpTileM + g_.warpTileN) *
                         double(g_.rowBytes) / double(s_.warpsK) +
                     double(g_.stageBytes())) /
                    sharedBytesPerCycle;
    double copies = double(g_.stageBytes()) / l2BytesPerCycle;
    for (const GemmOperand *operand : {&g_.lhs, &g_.rhs}) {
      // Narrow copies are bound by their number.
      double bytes = double((operand == &g_.lhs ? s_.bm : s_.bn) * g_.rowBytes);
      copies += bytes / l2BytesPerCycle *
                (16.0 / double(operand->accessBytes) - 1) * 0.5;
    }
    // Every warp makes its part of a stage between two barriers.
    double prologue = prologueCycles(g_.lhsPrologue, s_.bm) +
                      prologueCycles(g_.rhsPrologue, s_.bn);
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
    return 1300 + double(g_.kBlocksPerSplit) * perStage + epilogue;
  }

  /// What `rows` rows of a stage cost an SM: arithmetic at 128 lanes per cycle,
  /// addresses and conversions included, and shared memory read and written.
  double prologueCycles(const std::optional<OperandPrologue> &prologue,
                        int64_t rows) const {
    if (!prologue) {
      return 0;
    }
    double elements = double(rows * s_.bk);
    double bytes = double(g_.elementBytes);
    for (const StagedMatrix &staged : prologue->staged) {
      bytes += double(staged.operand.elementBytes());
    }
    double addresses = 24.0 / double(prologue->lanes);
    double instructions =
        double(BodyEvaluator::instructionCount(prologue->ops)) + 3 + addresses +
        2.0 * double(prologue->direct.size());
    return elements * (instructions / 128 + bytes / sharedBytesPerCycle);
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

  /// The time that the device's memory needs. What is under way at once must
  /// cover its latency.
  double memorySeconds() const {
    double bytes = 0;
    for (const GemmOperand *matrix : g_.copied()) {
      bytes += double(matrix->rows) * double(g_.gemm.k) *
               double(matrix->elementBytes());
    }
    bytes += double(g_.gemm.m) * double(g_.gemm.n) * 4;
    double perSm =
        std::min(double(g_.blocksPerSm(profile_)),
                 std::ceil(double(g_.blocks()) / double(profile_.smCount)));
    double underWay = perSm * double(s_.stages - 1) * double(g_.stageBytes());
    double reached = std::min(1.0, underWay / 40e3);
    return bytes * double(g_.raster.batches) /
           (0.9e9 * reached * std::max(profile_.memoryGBs, 1.0));
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
    double bytes = double(geometry.lhs.rows) *
                   double(geometry.lhs.pitch * geometry.elementBytes);
    time += estimateCopyUs(bytes, profile);
  }
  return time;
}

} // namespace minic::cuda
