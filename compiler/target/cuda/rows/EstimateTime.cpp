// SPDX-License-Identifier: Apache-2.0
//
// Memory bounds rows, or what few multiprocessors get of it. Constants without
// another source need to be right only among schedules of one problem.

#include "compiler/target/cuda/rows/EnumerateRows.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace minic::cuda {

namespace {

/// A launch that finds its operands in L2 and little to do.
constexpr double kSmallKernelUs = 2.0;
/// Of a multiprocessor, and cycles of a load: the GEMM families', of one H200.
constexpr double kL2BytesPerCycle = 52, kMemoryLatency = 900;
/// In which the last block of several is found: of the same H200.
constexpr double kLastBlockUs = 1.3;
/// Cycles of a multiprocessor for a sector of L2 of which it takes a part. A
/// group norm of 1.3 million elements that writes them in another order took
/// 34 to 42 us on an H100, 7 cycles each; those of NHWC images, with 10 and 20
/// channels in a group of 64x64 pixels, 11 and 15.6 us. Where a block reads
/// several in a row, fewer: by the root of how many. The mean of the pixels of
/// 32x56x56x144 took an H200 4 to 6 cycles a sector of one or two in a row, 2.7
/// of four, 1.8 of eight (docs/measurements/2026-11-29-h200-3.md).
constexpr double kSectorCycles = 6;
/// The same where a thread reads several rows at once: 64 bytes in a row took
/// 4.0 cycles a sector by eight rows in 16 bits, 5.2 by one.
constexpr double kSectorCyclesAcross = 5;
/// Sectors in a row, where all channels of a pixel are read, so that there is
/// no gap to the next one. The mean of 32x112x112x32 took 7 to 17 us so.
constexpr double kMostInARow = 4;
/// Cycles of a turn in which each thread has its unrolled loads on the way,
/// fitted to 15 such means by every schedule.
constexpr double kTurnCycles = 300;
/// Of a block that begins and ends, and of each step in which its threads merge
/// what they have of a row, fitted to the same.
constexpr double kMergeCycles = 50;
/// With so many blocks to each multiprocessor the last, partly filled wave is
/// not counted as a whole one. A guess.
constexpr double kManyBlocks = 6;

class TimeModel {
public:
  TimeModel(const RowFusion &rows, const RowTraffic &traffic,
            const RowSchedule &schedule, const DeviceProfile &profile)
      : rows(rows), traffic(traffic), s(schedule), profile(profile) {}

  double microseconds() const {
    return kSmallKernelUs * double(s.launches(rows)) + meetingUs() +
           std::max(memoryUs(), computeUs());
  }

private:
  double blocks() const { return double(s.blocks(rows)); }
  double sms() const { return std::max(profile.smCount, 1); }
  double hertz() const { return std::max(profile.clockMHz, 500.0) * 1e6; }
  bool hasFewBlocks() const { return blocks() < sms(); }
  /// Passes that end in reductions, whose states the blocks of a row merge.
  double meetings() const {
    int64_t last = 0;
    for (const RowFusion::Node &node : rows.nodes) {
      last = std::max(last, rows.isReduction(node) ? node.pass : 0);
    }
    return double(last);
  }

  /// A cluster's blocks meet within one trip to memory. Others' launches begin
  /// with one, and the last may end in reductions.
  double meetingUs() const {
    double trip = kMemoryLatency / hertz() * 1e6;
    if (s.cluster) {
      return meetings() * trip;
    }
    if (s.split == 1) {
      return 0;
    }
    bool endsInReductions = meetings() == double(rows.passes());
    return double(rows.passes() - 1) * trip +
           (endsInReductions ? kLastBlockUs : 0);
  }

  /// GB/s of what was just written, which is in L2, or of memory.
  double bandwidth(double bytes) const {
    return profile.memoryGBs * (bytes < double(profile.l2Bytes) ? 2 : 1);
  }

  /// GB/s of the multiprocessors that have a block, each by what its threads
  /// have on the way at a time.
  double reachable() const {
    double perColumn =
        traffic.read /
        std::max(double(rows.rows()) * double(rows.columns()), 1.0);
    double underWay =
        double(s.blockThreads() * s.lanes() * s.unroll) * perColumn;
    double perCycle = std::min(kL2BytesPerCycle, underWay / kMemoryLatency);
    return blocks() * perCycle * hertz() * 1e-9;
  }

  /// From memory, or from L2 where it was just written; rows that are not kept
  /// come mostly from L1 again, those of a later launch from L2.
  double memoryUs() const {
    double all = traffic.read + traffic.written;
    if (bandwidth(all) <= 0) {
      return 0;
    }
    double passes = double(rows.passes());
    double again = s.keeps || s.usesWorkspace() ? 1 : 1 + 0.3 * (passes - 1);
    double bytes = s.usesWorkspace() ? all + (passes - 1) * traffic.read : all;
    double us =
        std::max(bytes * again / bandwidth(all) * 1e-3, again * sectorsUs());
    if (hasFewBlocks() && traffic.read > 0) {
      us = std::max(us, bytes * again / reachable() * 1e-3);
    }
    return us;
  }

  /// Of tensors whose columns are not neighbours, which take a sector of L2 for
  /// each element, unless rows of a block share it, or where they are
  /// neighbours in short runs.
  double sectorsUs() const {
    double sectors = 0;
    double launches = double(s.launches(rows));
    for (const RowFusion::Read &read : rows.reads) {
      sectors += launches *
                 sectorsOf(read.strides, read.storage, double(s.blockRows()));
    }
    for (const RowFusion::Result &result : rows.results) {
      sectors +=
          sectorsOf(result.strides, result.storage, double(s.blockRows()));
    }
    if (sectors == 0) {
      return 0;
    }
    double waves = blocks() / sms();
    waves = waves < kManyBlocks ? std::ceil(waves) : waves;
    double turns =
        std::ceil(double(rows.columns()) /
                  double(s.threads * std::max<int64_t>(s.split, 1) * s.unroll));
    double merging = kMergeCycles * (1 + std::log2(double(s.threads)));
    double each = s.across > 1 ? kSectorCyclesAcross : kSectorCycles;
    double cycles =
        std::max(sectors / blocks() * each * waves, turns * kTurnCycles) +
        waves * merging;
    return cycles / hertz() * 1e6;
  }

  double sectorsOf(ArrayRef<int64_t> strides, Type storage,
                   double neighbours) const {
    double bytes = double(kernel::getElementBytes(storage));
    double apart = double(strides.back()) * bytes;
    if (strides.back() <= 1) {
      return strides.back() == 1 ? sectorsOfRuns(strides, bytes) : 0;
    }
    double elements = 1, together = 1;
    for (auto [loop, stride] : llvm::enumerate(strides)) {
      elements *= stride == 0 ? 1 : double(rows.extents[loop]);
      if (loop < rows.rowLoops && stride == 1) {
        together = std::min(neighbours, double(rows.extents[loop]));
      }
    }
    double shared = std::min(together, 32 / bytes);
    // Columns without a gap between them go on in a row.
    double inARow = together * bytes >= apart
                        ? kMostInARow
                        : std::max(1.0, together * bytes / 32);
    return elements * std::min(1.0, apart / 32) / shared / std::sqrt(inARow);
  }

  /// The sectors that runs of neighbours begin and end in, where a row has
  /// several: the channels of a group in a pixel of NHWC. What lies between is
  /// read and written whole.
  double sectorsOfRuns(ArrayRef<int64_t> strides, double bytes) const {
    double run = double(rows.extents.back());
    size_t outer = strides.size() - 1;
    while (outer > rows.rowLoops && double(strides[outer - 1]) == run) {
      run *= double(rows.extents[--outer]);
    }
    if (outer == rows.rowLoops) {
      return 0;
    }
    double elements = 1;
    bool areAligned = std::fmod(run * bytes, 32) == 0;
    for (auto [loop, stride] : llvm::enumerate(strides)) {
      elements *= stride == 0 ? 1 : double(rows.extents[loop]);
      areAligned &= loop >= outer || std::fmod(double(stride) * bytes, 32) == 0;
    }
    double each = std::min(2.0, 1 + (run - 1) * bytes / 32);
    return areAligned ? 0 : elements / run * each;
  }

  double computeUs() const {
    double elements = double(rows.rows()) * double(rows.columns());
    constexpr double perNode = 4; // a transcendental function is several
    double instructions = perNode * double(rows.nodes.size());
    double busy = hasFewBlocks() ? blocks() / sms() : 1;
    return profile.peakGflops > 0 ? elements * instructions /
                                        (profile.peakGflops / 2 * busy) * 1e-3
                                  : 0;
  }

  const RowFusion &rows;
  const RowTraffic &traffic;
  const RowSchedule &s;
  const DeviceProfile &profile;
};

} // namespace

double estimateMicroseconds(const RowFusion &rows, const RowTraffic &traffic,
                            const RowSchedule &schedule,
                            const DeviceProfile &profile) {
  return TimeModel(rows, traffic, schedule, profile).microseconds();
}

} // namespace minic::cuda
