// SPDX-License-Identifier: Apache-2.0
//
// Register tiles, blocks of lines and packing, ranked by an estimate.

#include "compiler/target/cpu/conv_direct/EnumerateConvSchedules.h"

#include "compiler/target/cpu/WeightBandwidth.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace minic::cpu {

/// Whether the pixels of a tile share so few sets of L1 that their lines drive
/// each other out: those of 1024 channels of f32 are 4096 bytes apart, as far
/// as lines of one set. 14 pixels of 1x1 convolutions of 1024 channels took 1.3
/// times as long as 7 on a Zen 4.
static bool thrashesL1(const ConvDirectGeometry &geometry, double height,
                       const DeviceProfile &profile) {
  constexpr int64_t lineBytes = 64, sets = 64;
  if (!geometry.isNhwc || geometry.isDepthwise || geometry.schedule.pack) {
    return false;
  }
  const graph::Conv2dGeometry &g = geometry.g();
  int64_t step = g.inputChannels * g.strideWidth *
                 kernel::getElementBytes(geometry.conv.inputType);
  int64_t places = lineBytes * sets / std::gcd(step, lineBytes * sets);
  int64_t ways = profile.l1Bytes / (lineBytes * sets);
  return height / double(places) >= double(ways);
}

namespace {

/// What the thread with the most to do takes of the grid, and its units.
struct Share {
  double part = 1;
  int64_t units = 1;

  static Share of(const ConvDirectGeometry &geometry,
                  const DeviceProfile &profile) {
    int64_t grid = std::max<int64_t>(geometry.grid(), 1);
    int64_t share = llvm::divideCeil(grid, std::max(profile.threads, 1));
    return {double(share) / double(grid),
            geometry.schedule.splitN ? geometry.units() : share};
  }
};

/// Whether a filter is too large to stay in L2, half of which the lines need:
/// each block of lines reads it again.
bool exceedsL2(double filterBytes, const DeviceProfile &profile) {
  return filterBytes > 0.5 * double(profile.l2Bytes);
}

/// Each block of lines reads the filter, or the thread's panels of it.
double readSeconds(double filterBytes, const ConvDirectGeometry &geometry,
                   const DeviceProfile &profile) {
  bool waits = waitsForL3(profile);
  Share share = Share::of(geometry, profile);
  double bytes = filterBytes * (geometry.schedule.splitN ? share.part : 1);
  bool again = exceedsL2(bytes, profile);
  int64_t units = waits ? share.units : geometry.units();
  double blocks = double(llvm::divideCeil(units, geometry.schedule.lines));
  double bandwidth =
      waits ? profile.l3GBs : 3 * std::max(profile.memoryGBs, 1.0);
  return bytes * (again ? blocks : 1) / (1e9 * bandwidth);
}

/// Threads that divide panels each read the whole image, those that divide
/// lines their part. 1x1 convolutions of images of 1.6 and 3.2 MB took 10 to 12
/// us more so on two threads of a Xeon with AMX
/// (docs/measurements/2026-11-28-xeon.md#default-mode-on-two-threads).
double imageSeconds(const ConvDirectGeometry &geometry,
                    const DeviceProfile &profile) {
  if (!geometry.schedule.splitN || geometry.schedule.pack) {
    return 0;
  }
  constexpr double bytesPerSecond = 110e9;
  const graph::Conv2dGeometry &g = geometry.g();
  double bytes = double(g.batch * g.inputHeight * g.inputWidth) *
                 double(g.inputChannels) *
                 double(kernel::getElementBytes(geometry.conv.inputType));
  return bytes * (1 - Share::of(geometry, profile).part) / bytesPerSecond;
}

/// Of computing and reading, what the longer does not hide of the shorter. On
/// an Emerald Rapids 3x3 filters of 512 channels (7x7 pixels) took 0.68 of the
/// time where tiles fetch the next panel into L2, 1x1 filters of 2048 x 512
/// 0.79 and 0.85: as if they came at 16 to 37 GB/s with nothing hidden.
/// On a Zen 5 3x3 filters of 512 channels took 0.83 and, in steps of 2, 0.81 of
/// the time, of 256 channels in steps of 2 0.93, 1x1 filters of 1024 x 2048
/// 0.84; of 256 channels and 1x1 of 1 to 4 MB as long.
double shownPart(const ConvDirectSchedule &schedule, double filterBytes,
                 const DeviceProfile &profile) {
  bool isLate = waitsForL3(profile) || exceedsL2(filterBytes, profile);
  return isLate && !schedule.prefetch ? 0.9 : 0.1;
}

/// How much longer it takes where the block's lines do not stay in L2 while the
/// panels pass, nor a panel, and the next one where it is fetched, while the
/// lines pass. On an Emerald Rapids 7x7 pixels of 512 channels (3x3) took 2.54,
/// 2.70, 2.83 and 2.96 ms in panels of 16, 32, 48 and 64 channels, of which two
/// and the lines fill 0.4 to 1.28 of L2.
double crowding(const ConvDirectGeometry &geometry,
                const DeviceProfile &profile) {
  double l2 = double(profile.l2Bytes);
  if (!waitsForL3(profile)) {
    return double(geometry.scratchBytes()) > 0.5 * l2 ? 1.1 : 1;
  }
  const ConvDirectSchedule &schedule = geometry.schedule;
  const graph::Conv2dGeometry &g = geometry.g();
  Share share = Share::of(geometry, profile);
  double units = double(std::min(schedule.lines, share.units));
  double unitBytes = double(geometry.packedLineElements()) * 4;
  if (!schedule.pack) {
    int64_t tiles = std::max<int64_t>(geometry.tiles, 1);
    unitBytes = double(g.outputWidth * g.inputChannels) / double(tiles) *
                double(kernel::getElementBytes(geometry.conv.inputType));
  }
  double panels = double(geometry.panelElements()) *
                  double(kernel::getElementBytes(geometry.conv.filterType)) *
                  (schedule.prefetch ? 2 : 1);
  double crowded = (units * unitBytes + panels) / l2 - 0.4;
  return 1 + 0.19 * std::clamp(crowded, 0.0, 1.0);
}

} // namespace

double estimateMicroseconds(const ConvDirectGeometry &geometry,
                            const DeviceProfile &profile) {
  const graph::Conv2dGeometry &g = geometry.g();
  bool isWide = profile.has("avx512f");
  double perVector = isWide ? 1 : 2; // instructions per 16 lanes
  double cyclesPerSecond = 3.5e9;
  double fmasPerCycle = profile.peakGflops / 3.5 / (2 * convLanes);
  int64_t rows = geometry.isNhwc ? g.outputWidth : geometry.groupOutputs;
  double height = double(rows) / double(std::max<int64_t>(geometry.tiles, 1));
  double vectors = double(geometry.vectors());
  // Cycles of one tap and channel of a tile.
  double fma = height * vectors / fmasPerCycle;
  double filterVectors = geometry.isNhwc ? vectors * perVector : height;
  double inputVectors = geometry.isNhwc
                            ? height * (geometry.isDepthwise ? vectors : 1)
                            : vectors * perVector;
  bool isHalf = !geometry.conv.filterType.isF32();
  double loads = (filterVectors * (isHalf ? 2 : 1) + inputVectors) / 2;
  if (isHalf && !geometry.schedule.pack) {
    loads += inputVectors;
  }
  double latency = 4; // of a chain of multiply-adds
  double cycles = std::max({fma, loads, latency}) + 0.03 * loads;
  bool spills = height * vectors + std::min(height, vectors) + 1 > 31;
  if (spills) {
    cycles *= isWide ? 1.05 : 1;
  }
  if (thrashesL1(geometry, height, profile)) {
    cycles *= 1.3;
  }
  if (waitsForL3(profile) && geometry.isNhwc && !geometry.isDepthwise &&
      g.filterHeight * g.filterWidth > 1) {
    // 3x3 of ResNet-50 from 56x56 to 14x14 pixels took 1.02 to 1.18 times as
    // long as oneDNN on an Emerald Rapids, where estimates said 0.97. Why was
    // not found.
    cycles *= 1.06;
  }
  if (!isWide && geometry.isNhwc && g.filterHeight * g.filterWidth == 1 &&
      g.inputChannels >= 256 && !isHalf) {
    // On a Zen 3 1x1 of 256 and more channels took 0.96 to 1.15 of oneDNN's
    // time (ten of ResNet-50), where estimates said 0.97. Why was not found.
    cycles *= 1.06;
  }
  double tiles = double(geometry.tiles) * geometry.columnTiles *
                 geometry.groups * geometry.lines();
  double used = 1; // of the filter's lines
  if (geometry.skipsPads()) {
    used = double(geometry.usedTapLines()) /
           double(g.outputHeight * g.filterHeight);
  }
  double perTile =
      g.reductionLength() * used * cycles + 40 + 2 * height * vectors;
  if (waitsForL3(profile) && geometry.isNhwc) {
    // A tile's first steps wait for a panel that no tile before has met: 6x64
    // of 64 channels took 1.23 times as long one by one as 16 in turn.
    perTile += 200 / double(geometry.tilesPerPanel());
  }
  double work = tiles * perTile;
  Share share = Share::of(geometry, profile);
  if (geometry.schedule.pack) {
    // Threads that divide the panels each pack all lines.
    double times = geometry.schedule.splitN ? 1 / share.part : 1;
    work +=
        times * double(geometry.lines()) * geometry.packedLineElements() * 0.15;
  }
  double filterBytes = double(geometry.panelElements()) *
                       llvm::divideCeil(g.outputChannels, geometry.panelWidth) *
                       (isHalf ? 2 : 4);
  work *= crowding(geometry, profile);
  if (geometry.schedule.prefetch) {
    PanelPrefetch next = geometry.panelPrefetch();
    work += 0.5 * tiles * double(next.panelBytes) /
            double(next.iterationBytes) * double(next.linesPerIteration());
  }
  double compute =
      work * share.part / cyclesPerSecond + imageSeconds(geometry, profile);
  double memory = readSeconds(filterBytes, geometry, profile);
  double shown = shownPart(geometry.schedule, filterBytes, profile);
  return 1e6 * (std::max(compute, memory) + shown * std::min(compute, memory)) +
         (share.part < 1 ? profile.joinUs : 0);
}

/// What tiles wait for other operands of the result's shape, such as a
/// residual: each panel reads a piece of every pixel, and where it and the
/// result are too large for L2 it comes late. On a thread of a Zen 4 1x1
/// convolutions took 12 to 31 ns more for each piece more in panels of 32 than
/// in panels of 64 (1x14x14x1024 to 8x28x28x128).
static double residualUs(const kernel::FusionShape &shape,
                         const ConvDirectSchedule &schedule,
                         const DeviceProfile &profile) {
  constexpr double pieceNs = 12;
  const graph::Conv2dGeometry &g = shape.conv->geometry;
  if (g.layout != graph::ImageLayout::NHWC) {
    return 0;
  }
  auto elements = llvm::product_of(shape.space);
  double us = 0;
  for (Value input : shape.epilogueInputs) {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getNumElements() == elements &&
        2 * kernel::getBytes(type) > profile.l2Bytes) {
      double pixels = double(g.batch * g.outputHeight * g.outputWidth);
      double panels = double(llvm::divideCeil(g.outputChannels, schedule.nr));
      us += pixels * panels * pieceNs * 1e-3;
    }
  }
  return us / std::max(profile.threads, 1);
}

std::vector<EstimatedConvSchedule>
enumerateConvSchedules(const kernel::FusionShape &shape,
                       const DeviceProfile &profile, std::string *reason,
                       size_t limit) {
  struct RegisterTile {
    int64_t mr, nr;
  };
  static const RegisterTile wide[] = {{14, 32}, {12, 32}, {8, 32}, {7, 64},
                                      {6, 64},  {4, 64},  {8, 48}, {14, 16},
                                      {8, 16},  {2, 64},  {1, 64}};
  static const RegisterTile narrow[] = {
      {6, 16}, {5, 16}, {4, 16}, {2, 32}, {1, 32}};
  const graph::Conv2dGeometry &g = shape.conv->geometry;
  bool isNhwc = g.layout == graph::ImageLayout::NHWC;
  int64_t columns = isNhwc ? g.outputChannels / g.groups : g.outputWidth;
  if (isNhwc && g.inputChannels == g.groups && g.outputChannels == g.groups) {
    columns = g.outputChannels;
  }
  columns = llvm::alignTo(std::max<int64_t>(columns, 1), convLanes);

  std::vector<EstimatedConvSchedule> found;
  SmallVector<ConvDirectSchedule> seen;
  auto consider = [&](ConvDirectSchedule schedule) {
    FailureOr<ConvDirectGeometry> geometry =
        ConvDirectGeometry::get(shape, schedule, reason);
    if (failed(geometry)) {
      return;
    }
    // Give equal code one name: the height that tiles really have, and no
    // more lines than there are.
    if (!geometry->heights.empty()) {
      schedule.mr = std::max<int64_t>(geometry->heights.front(), 1);
    }
    int64_t units = std::max<int64_t>(geometry->units(), 1);
    schedule.lines = std::min(schedule.lines, units);
    if (llvm::is_contained(seen, schedule)) {
      return;
    }
    geometry = ConvDirectGeometry::get(shape, schedule, reason);
    seen.push_back(schedule);
    found.push_back({schedule, estimateMicroseconds(*geometry, profile) +
                                   residualUs(shape, schedule, profile)});
  };
  auto considerShares = [&](ConvDirectSchedule schedule) {
    // Where L3 is slow, each thread had better read a part of the filter.
    if (profile.threads > 1 && (profile.asksForAll() || waitsForL3(profile))) {
      schedule.splitN = true;
      consider(schedule);
      schedule.splitN = false;
    }
    consider(schedule);
  };
  double filterBytes = double(g.outputChannels * (g.inputChannels / g.groups) *
                              g.filterHeight * g.filterWidth) *
                       double(kernel::getElementBytes(shape.conv->filterType));
  bool isWide = profile.has("avx512f");
  for (RegisterTile tile : isWide ? ArrayRef(wide) : ArrayRef(narrow)) {
    int64_t nr = std::min(tile.nr, columns);
    for (int64_t lines : {1, 4, 16}) {
      for (bool pack : {false, true}) {
        // Elsewhere searches of neighbours and of all measure it.
        if (profile.asksForAll() || waitsForL3(profile) ||
            exceedsL2(filterBytes, profile)) {
          considerShares({tile.mr, nr, lines, pack, /*prefetch=*/true});
        }
        considerShares({tile.mr, nr, lines, pack});
      }
    }
  }
  llvm::sort(found, [](const auto &a, const auto &b) {
    // Equal estimates in a fixed order: the first one is what is used where
    // nothing was measured.
    return std::pair(a.microseconds, toString(a.schedule)) <
           std::pair(b.microseconds, toString(b.schedule));
  });
  if (!profile.asksForAll() && found.size() > limit) {
    found.resize(limit);
  }
  return found;
}

} // namespace minic::cpu
