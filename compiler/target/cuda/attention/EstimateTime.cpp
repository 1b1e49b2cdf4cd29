// SPDX-License-Identifier: Apache-2.0
//
// Constants are data sheets' where no other source is named, and need to be
// right only among schedules of one problem and beside the expanded form.

#include "compiler/target/cuda/attention/EnumerateAttention.h"

#include "compiler/target/cuda/LaunchTime.h"

#include <algorithm>
#include <cmath>

namespace minic::cuda {

namespace {

constexpr double kSharedBytesPerCycle = 128;
/// gemm_sm80's, of one H200.
constexpr double kL2BytesPerCycle = 52;
constexpr double kExponentialsPerCycle = 16;
constexpr double kLanesPerCycle = 128;
/// What two meetings of a cluster take, and bytes of a block's parts that are
/// written and read in a cycle: on an H100 12 heads of 197 rows took 6.3 us in
/// blocks of 128 rows and clusters of four, and 4.3 in blocks of 32 without.
constexpr double kClusterUs = 0.9, kPartBytesPerCycle = 15;

/// Of operands that are made: about one access of L2 ahead of all reads, and
/// then for each element that a thread makes. An H200 took 6.6, 5.2 and 4.2 us
/// with 32, 64 and 128 threads for 4 heads of 64 that turn their query and
/// share a key, and 4.0, 3.9 and 3.8 for one that does not.
constexpr double kMakingUs = 0.4, kMadeQueryUs = 0.26, kMadeCacheUs = 0.07;

class TimeModel {
public:
  TimeModel(const AttentionGeometry &g, const DeviceProfile &profile)
      : g(g), s(g.schedule), profile(profile) {}

  double microseconds() const {
    double sms = std::max(profile.smCount, 1);
    double hertz = std::max(profile.clockMHz, 500.0) * 1e6;
    double blocks = double(g.blocks() * s.split);
    double perSm = double(g.blocksPerSm(profile)), resident = sms * perSm;
    double waves = std::floor(blocks / resident);
    double cycles = waves * waveCycles(perSm, averageKeyBlocks());
    double rest = blocks - waves * resident;
    if (rest > 0) {
      // The last blocks of a causal mask are short, unless all are.
      double keyBlocks = waves > 0 ? averageKeyBlocks() : mostKeyBlocks();
      cycles += waveCycles(std::ceil(rest / sms), keyBlocks);
    }
    double seconds = std::max(cycles / hertz, memorySeconds()) +
                     0.15 * std::min(cycles / hertz, memorySeconds());
    return 1e6 * seconds + 1 + splitMicroseconds() + makingMicroseconds();
  }

private:
  /// Of one block; those that a mask leaves out altogether are skipped.
  double mostKeyBlocks() const {
    double all = std::ceil(double(g.keyBlocks()) / double(s.split));
    const auto &window = g.fusion.window;
    if (!window) {
      return all;
    }
    double seen =
        double(*window) * (g.fusion.causal == graph::Causal::None ? 2 : 1) +
        double(s.rowBlock());
    return std::min(all, seen / double(s.keyBlock) + 1);
  }
  double averageKeyBlocks() const {
    double most = mostKeyBlocks();
    bool isHalf = g.fusion.causal != graph::Causal::None && !g.fusion.window;
    if (!isHalf || g.rowBlocks() == 1) {
      return most;
    }
    double rows = std::min(double(g.fusion.rows), double(g.fusion.keys));
    double area = 1 - rows / (2 * double(g.fusion.keys));
    return std::min(most, most * area + 0.5);
  }

  double multiplyAddsPerCycle() const {
    // As gemm_sm80's and gemm_sm90's: wgmma is what reaches the peak on sm_90.
    double reached = profile.smVersion >= 90 && !s.wgmma ? 0.62 : 0.9;
    return reached * profile.tensorGflops16 * 1e9 / 2 /
           (profile.clockMHz * 1e6 * std::max(profile.smCount, 1));
  }

  /// Of an SM that has `blocks` blocks at a time.
  double waveCycles(double blocks, double keyBlocks) const {
    double scores = double(s.rowBlock() * s.keyBlock);
    double depth = double(g.query.padded + g.value.padded);
    double warps = double(s.threads()) / 32;
    double busy = std::min(1.0, blocks * warps / 4);
    double multiply = scores * depth / multiplyAddsPerCycle() / busy;
    double powers = scores / kExponentialsPerCycle / busy;
    double arithmetic = scores * instructions() / kLanesPerCycle / busy;
    // One read of a warp group is for the rows of four warps.
    double read =
        (s.wgmma ? warps / 4 : warps) * double(s.warpKeys()) * depth * 2;
    if (!g.keepsQuery()) {
      read += warps * 16 * double(s.rowTiles * g.query.padded) * 2;
    }
    double shared = (read + double(g.stageBytes())) / kSharedBytesPerCycle;
    double copies = double(g.stageBytes()) / kL2BytesPerCycle;
    double most = std::max({multiply, powers + arithmetic, shared, copies});
    double all = multiply + powers + arithmetic + shared;
    // Warps overlap each other's products and exponentials, not wholly.
    double throughput = blocks * (most + alone(blocks) * (all - most));
    double chain =
        350 + (s.wgmma ? 0 : 36 * double(g.query.padded + s.warpKeys()) / 16);
    // In one stage keys and values are waited for in turn: 197 rows of 12 heads
    // took 5.5 us on an H100 with one and 4.3 with two.
    double waiting = s.stages == 1   ? (g.hasOneKeyBlock() ? 300 : 1200)
                     : s.stages == 2 ? 100
                                     : 50;
    double each = std::max(throughput, chain + waiting);
    double merging = double(s.keyWarps > 1 ? 500 : 0) +
                     double(s.rowBlock() * g.value.padded) * blocks / 64;
    return 1800 + keyBlocks * each + merging;
  }

  /// How much of all but the slowest part does not run beside that part.
  double alone(double blocks) const {
    if (!s.wgmma) {
      return 0.25;
    }
    return 1 / (blocks * double(s.warps) / 4 + (s.ahead ? 1 : 0));
  }

  /// Of a score, beside products and its exponential.
  double instructions() const {
    double count = 6;
    count += g.foldsScale() ? 0 : 1;
    count += g.fusion.softCap ? 20 : 0;
    count += g.fusion.mask ? 4 : 0;
    return count;
  }

  double memorySeconds() const {
    const AttentionFusion &a = g.fusion;
    double rows = double(a.batch * a.heads * a.rows);
    double keys = double(a.batch * a.keyHeads * a.keys);
    double elements = (rows + keys) * double(a.depth + a.valueDepth);
    double blocks =
        std::min(double(g.blocks() * s.split),
                 double(profile.smCount) * double(g.blocksPerSm(profile)));
    double perSm = blocks / std::max(profile.smCount, 1);
    // What is under way at once must cover the memory's latency.
    double underWay = perSm * double(std::max<int64_t>(s.stages - 1, 1)) *
                      double(g.stageBytes());
    double reached = std::min(1.0, underWay / 40e3);
    return 2 * elements / (0.9e9 * reached * std::max(profile.memoryGBs, 1.0));
  }

  double makingMicroseconds() const {
    if (!g.fusion.makesOperands()) {
      return 0;
    }
    auto perThread = [&](int64_t elements) {
      return std::ceil(double(elements) / double(s.threads()));
    };
    double us = kMakingUs;
    for (AttentionFusion::Update update : g.fusion.updates) {
      auto fresh =
          cast<mlir::RankedTensorType>(update.op.getUpdate().getType());
      us += kMadeCacheUs * perThread(fresh.getDimSize(2) * fresh.getDimSize(3));
    }
    if (g.fusion.madeQuery) {
      us += kMadeQueryUs *
            perThread(std::min(s.rowBlock(), g.rows()) * g.fusion.depth);
    }
    return us;
  }

  /// Writing parts, meeting, and reading them by one block of each.
  double splitMicroseconds() const {
    if (s.split == 1) {
      return 0;
    }
    if (s.clustered) {
      return kClusterUs + double(g.partialFloats()) * 4 / kPartBytesPerCycle /
                              std::max(profile.clockMHz, 500.0);
    }
    double traffic = double(g.workspaceBytes()) * 2 / 3e12;
    double read =
        double(s.split * g.partialFloats()) * 4 / 60 / (profile.clockMHz * 1e6);
    return 1.3 + 1e6 * (traffic + read);
  }

  const AttentionGeometry &g;
  const AttentionSchedule &s;
  const DeviceProfile &profile;
};

} // namespace

double estimateMicroseconds(const AttentionGeometry &geometry,
                            const DeviceProfile &profile) {
  return TimeModel(geometry, profile).microseconds();
}

} // namespace minic::cuda
