// SPDX-License-Identifier: Apache-2.0
//
// Tiles, panels and packed lines of a direct convolution.

#include "compiler/target/cpu/conv_direct/ConvDirectGeometry.h"

#include "compiler/target/cpu/SumChunk.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace minic::cpu {

using graph::Conv2dGeometry;
using graph::ImageLayout;

/// Elements of a packed line at most: 256 MiB.
static constexpr int64_t largestLine = int64_t(1) << 26;

static bool hasPads(const Conv2dGeometry &g) {
  return g.padTop != 0 || g.padLeft != 0 || g.padBottom != 0 || g.padRight != 0;
}

static int64_t largestDivisor(int64_t number, int64_t most) {
  int64_t divisor = std::min(number, most);
  while (divisor > 1 && number % divisor != 0) {
    --divisor;
  }
  return std::max<int64_t>(divisor, 1);
}

FailureOr<ConvDirectGeometry>
ConvDirectGeometry::get(const kernel::FusionShape &shape,
                        const ConvDirectSchedule &schedule,
                        std::string *reason) {
  auto fail = [&](const char *why) {
    if (reason) {
      *reason = why;
    }
    return failure();
  };
  ConvDirectGeometry result;
  result.conv = *shape.conv;
  result.schedule = schedule;
  const Conv2dGeometry &g = result.g();
  result.isNhwc = g.layout == ImageLayout::NHWC;
  if (!schedule.pack && !result.isNhwc) {
    return fail("NCHW images must be packed");
  }
  if (!schedule.pack && hasPads(g)) {
    return fail("padded images must be packed");
  }
  // In floating point: the product of the largest pads is none of int64_t.
  if (schedule.pack && double(g.inputChannels) * double(g.filterHeight) *
                               double(result.phases()) *
                               double(result.packedWidth()) >
                           double(largestLine)) {
    return fail("a line of pixels reads more than 2^26 elements, pads "
                "included");
  }
  result.isDepthwise = result.isNhwc && g.groups > 1 &&
                       g.inputChannels == g.groups &&
                       g.outputChannels == g.groups;
  result.groups = result.isDepthwise ? 1 : g.groups;
  result.groupInputs = g.inputChannels / result.groups;
  result.groupOutputs = g.outputChannels / result.groups;

  int64_t rows = result.isNhwc ? g.outputWidth : result.groupOutputs;
  if (result.isNhwc) {
    // Evenly: tiles of two neighbouring heights.
    result.tiles = llvm::divideCeil(rows, schedule.mr);
    int64_t height = result.tiles > 0 ? rows / result.tiles : 0;
    result.tallTiles = result.tiles > 0 ? rows % result.tiles : 0;
    if (result.tallTiles > 0) {
      result.heights.push_back(height + 1);
    }
    if (result.tallTiles < result.tiles) {
      result.heights.push_back(height);
    }
    result.isOnePanel =
        result.groups > 1 && result.groupOutputs % schedule.nr != 0;
    result.panelWidth = result.isOnePanel
                            ? llvm::alignTo(g.outputChannels, convLanes)
                            : schedule.nr;
    result.columnTiles = llvm::divideCeil(result.groupOutputs, schedule.nr);
    if (schedule.prefetch &&
        (result.isDepthwise || result.isOnePanel || result.columnTiles < 2)) {
      return fail("there is no next panel of the filter to fetch");
    }
    if (schedule.splitN && result.groups > 1) {
      return fail("threads divide the panels of one group only");
    }
    return result;
  }
  if (schedule.prefetch) {
    return fail("only tiles of NHWC images fetch the next panel");
  }
  if (schedule.splitN) {
    return fail("threads divide the panels of NHWC images only");
  }
  // Panels are as high as tiles, so that only the last one can be cut.
  result.panelWidth = result.groups == 1
                          ? schedule.mr
                          : largestDivisor(result.groupOutputs, schedule.mr);
  result.tiles = llvm::divideCeil(rows, result.panelWidth);
  result.tallTiles = rows / result.panelWidth;
  if (result.tallTiles > 0) {
    result.heights.push_back(result.panelWidth);
  }
  if (result.tallTiles < result.tiles) {
    result.heights.push_back(rows % result.panelWidth);
  }
  result.columnTiles = llvm::divideCeil(g.outputWidth, schedule.nr);
  return result;
}

int64_t ConvDirectGeometry::units() const {
  bool isEmpty = tiles == 0 || columnTiles == 0;
  return isEmpty ? 0 : lines() * unitsPerLine();
}

int64_t ConvDirectGeometry::grid() const {
  return schedule.splitN && units() != 0 ? columnTiles : units();
}

bool ConvDirectGeometry::sumsInChunks() const {
  return conv.inputType.isF32() && conv.filterType.isF32();
}

int64_t ConvDirectGeometry::usedTapLines() const {
  int64_t used = 0;
  for (int64_t r = 0; r != g().filterHeight; ++r) {
    // Line p of the result reads line p * strideHeight - before.
    int64_t before = g().padTop - r * g().dilationHeight;
    auto linesFrom = [&](int64_t first) {
      int64_t distance = std::max<int64_t>(first + before, 0);
      return std::min(int64_t(llvm::divideCeil(distance, g().strideHeight)),
                      g().outputHeight);
    };
    used += linesFrom(g().inputHeight) - linesFrom(0);
  }
  return used;
}

bool ConvDirectGeometry::skipsPads() const {
  return isNhwc && schedule.pack &&
         usedTapLines() != g().outputHeight * g().filterHeight;
}

int64_t ConvDirectGeometry::linesPerChunk() const {
  int64_t most = sumsInChunks() ? kSumChunk : g().reductionLength();
  return std::max<int64_t>(most / g().filterWidth, 1);
}

int64_t ConvDirectGeometry::tilesPerPanel() const {
  int64_t inBlock = std::clamp<int64_t>(units(), 1, schedule.lines);
  return schedule.pack ? inBlock * tiles : inBlock;
}

PanelPrefetch ConvDirectGeometry::panelPrefetch() const {
  int64_t rowBytes = panelWidth * kernel::getElementBytes(conv.filterType);
  return {.panelBytes = g().reductionLength() * rowBytes,
          .iterationBytes = nhwcStepsPerIteration * rowBytes,
          .tilesPerPanel = tilesPerPanel()};
}

bool ConvDirectGeometry::hasColumnTail() const {
  int64_t columns = isNhwc ? groupOutputs : g().outputWidth;
  return columns % schedule.nr != 0;
}

int64_t ConvDirectGeometry::packedWidth() const {
  int64_t reach = (g().filterWidth - 1) * g().dilationWidth;
  return isNhwc ? (g().outputWidth - 1) * g().strideWidth + reach + 1
                : llvm::alignTo(g().outputWidth, schedule.nr) +
                      reach / g().strideWidth;
}

int64_t ConvDirectGeometry::phases() const {
  if (isNhwc) {
    return 1;
  }
  int64_t period =
      g().strideWidth / std::gcd(g().strideWidth, g().dilationWidth);
  return std::min(period, g().filterWidth);
}

int64_t ConvDirectGeometry::packedLineElements() const {
  return g().inputChannels * g().filterHeight * phases() * packedWidth();
}

int64_t ConvDirectGeometry::scratchBytes() const {
  return schedule.pack ? llvm::alignTo(schedule.lines * packedLineElements() *
                                           int64_t(sizeof(float)),
                                       64)
                       : 0;
}

kernel::LayoutAttr getFilterLayout(const ConvDirectGeometry &geometry) {
  auto type = cast<RankedTensorType>(geometry.conv.filter.getType());
  SmallVector<int64_t> padded(type.getShape());
  padded[0] = llvm::alignTo(padded[0], geometry.panelWidth);
  SmallVector<int64_t> order = {0, 1, 2, 3};
  if (geometry.isNhwc) {
    order = {0, 2, 3, 1};
  }
  return kernel::LayoutAttr::get(type.getContext(), order, /*blockDims=*/{0},
                                 {geometry.panelWidth}, padded);
}

} // namespace minic::cpu
