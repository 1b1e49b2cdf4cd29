// SPDX-License-Identifier: Apache-2.0
//
// Who has which results, and what that takes.

#include "compiler/target/cuda/conv_depthwise/DepthwiseGeometry.h"

#include "compiler/target/cuda/EpilogueEmitter.h"
#include "compiler/target/cuda/LaunchTime.h"
#include "compiler/target/cuda/Registers.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

FailureOr<DepthwiseGeometry>
DepthwiseGeometry::get(const kernel::FusionShape &shape,
                       const DepthwiseSchedule &schedule, std::string *reason) {
  auto fail = [&](const char *why) {
    if (reason) {
      *reason = why;
    }
    return failure();
  };
  DepthwiseGeometry result;
  result.conv = *shape.conv;
  result.schedule = schedule;
  const graph::Conv2dGeometry &g = result.g();
  result.isNhwc = g.layout == graph::ImageLayout::NHWC;
  result.multiplier = g.outputChannelsPerGroup();
  result.epilogueInstructions = EpilogueEmitter::instructionCount(shape);
  if (schedule.channels > 1 && (!result.isNhwc || result.multiplier != 1 ||
                                g.outputChannels % schedule.channels != 0)) {
    return fail("channels are not next to each other in such vectors");
  }
  if (schedule.channels * kernel::getElementBytes(result.conv.inputType) > 16) {
    return fail("more than 16 bytes of channels");
  }
  if (!result.isNhwc && g.outputWidth % schedule.pixels != 0) {
    return fail("lines are no multiple of a thread's pixels");
  }
  result.channelSteps = g.outputChannels / schedule.channels;
  result.lineSteps = int64_t(llvm::divideCeil(g.outputWidth, schedule.pixels));
  // Indices and offsets have 32 bits.
  int64_t reach = g.inputHeight + g.padTop + g.padBottom;
  int64_t width = g.inputWidth + g.padLeft + g.padRight;
  constexpr int64_t most = INT32_MAX / 2;
  if (reach > most || width > most || reach * width > most ||
      g.batch * g.inputChannels * g.inputHeight * g.inputWidth > most ||
      reach * width * result.pixelStride() > most ||
      g.batch * g.outputChannels * g.outputHeight * g.outputWidth > most ||
      g.outputChannels * g.filterHeight * g.filterWidth > most) {
    return fail("images too large");
  }
  return result;
}

int64_t DepthwiseGeometry::blocks() const {
  return int64_t(llvm::divideCeil(items(), schedule.threads));
}

Attribute DepthwiseGeometry::filterLayout() const {
  auto type = cast<RankedTensorType>(conv.filter.getType());
  if (!isNhwc || g().filterHeight * g().filterWidth == 1) {
    return UnitAttr::get(type.getContext());
  }
  return kernel::LayoutAttr::get(type.getContext(), {2, 3, 1, 0}, {}, {},
                                 type.getShape());
}

int64_t DepthwiseGeometry::columns() const {
  llvm::SmallDenseSet<int64_t> distances;
  for (int64_t pixel = 0; pixel != schedule.pixels; ++pixel) {
    for (int64_t tap = 0; tap != g().filterWidth; ++tap) {
      distances.insert(pixel * g().strideWidth + tap * g().dilationWidth);
    }
  }
  return int64_t(distances.size());
}

int64_t DepthwiseGeometry::registersOfLine() const {
  int64_t bytes = kernel::getElementBytes(conv.inputType);
  int64_t each = int64_t(llvm::divideCeil(schedule.channels * bytes, 4));
  return (columns() + g().filterWidth) * each;
}

bool DepthwiseGeometry::unrollsLines() const {
  return g().filterHeight <= 3 &&
         schedule.results() + g().filterHeight * registersOfLine() <= 80;
}

int64_t DepthwiseGeometry::minBlocksPerSm() const {
  // Left alone the assembler takes 179 registers for all loads of 8x4 results
  // of a 3x3 at once, and few warps are left to hide them. 128 are enough where
  // sums and what is loaded of a line are no more than here.
  int64_t needed = schedule.results() + registersOfLine();
  return needed <= 100 && unrollsColumns()
             ? std::max<int64_t>(registersOfSm / (128 * schedule.threads), 1)
             : 0;
}

double DepthwiseGeometry::estimateUs(const DeviceProfile &profile) const {
  int64_t pixels = schedule.pixels, channels = schedule.channels;
  // Each load has an address and checks, and is converted. The epilogue's
  // instructions count half: they overlap with what waits. Of 270 candidates of
  // EfficientNet-B0 and MobileNetV3-L with 32 images on an H200 (3x3 and 5x5,
  // batch norm and an activation behind) the typical error is 1.12.
  double lines = double(g().filterHeight);
  double loads = lines * double(columns() + g().filterWidth);
  double instructions =
      60 + loads * (8 + double(channels)) +
      lines * double(g().filterWidth * pixels * channels) +
      double(pixels) *
          (16 + 0.5 * double(channels) * double(epilogueInstructions));
  double threads = double(blocks() * schedule.threads);
  double perUs = profile.peakGflops / 2 * 1e3;
  double computeUs = perUs > 0 ? threads * instructions / (0.6 * perUs) : 0;
  // Loads of a few lines wait for memory together, and where there are few
  // warps each waits for its own instructions: on an H200 3x3 of small images
  // took 2.6 us with 8x4 results a thread and 1.7 with 4x2, 8x1 or 4x1.
  constexpr double kFewResults = 4;
  double more = std::max(0.0, 1 - kFewResults / double(schedule.results()));
  double cyclesUs =
      profile.clockMHz > 0 ? 5 * more * instructions / profile.clockMHz : 0;
  double resident = double(std::max(profile.smCount, 1)) *
                    double(std::max(profile.threadsPerSm, 1));
  double waitUs =
      (0.7 + 0.6 * lines + cyclesUs) * std::max(1.0, threads / resident);
  double elements =
      double(g().batch * g().inputChannels * g().inputHeight * g().inputWidth) +
      double(g().batch * g().outputChannels * g().outputHeight *
             g().outputWidth);
  double bytes = elements * double(kernel::getElementBytes(conv.inputType));
  double memoryUs =
      profile.memoryGBs > 0 ? bytes / (0.85 * profile.memoryGBs) * 1e-3 : 0;
  double most = std::max({memoryUs, computeUs, waitUs});
  return launchUs + 0.85 * most + 0.15 * (memoryUs + computeUs + waitUs) -
         (schedule.programmatic ? 0.5 : 0);
}

} // namespace minic::cuda
