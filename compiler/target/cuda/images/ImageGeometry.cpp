// SPDX-License-Identifier: Apache-2.0
//
// Who has which results, and what that takes.

#include "compiler/target/cuda/images/ImageGeometry.h"

#include "compiler/target/cuda/EpilogueEmitter.h"
#include "compiler/target/cuda/LaunchTime.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

/// Indices and offsets have 32 bits.
static constexpr int64_t kMost = INT32_MAX / 2;

/// False where offsets do not fit, those outside of the image among them.
static bool setWindows(ImageGeometry &g, const ImageFusion &image) {
  g.rows = image.window(0), g.columns = image.window(1);
  g.tapLines = g.rows.window;
  g.taps = g.rows.window * g.columns.window;
  auto reach = [](const graph::WindowLine &line) {
    return line.extent + line.before + line.after + line.reach();
  };
  return reach(g.rows) <= kMost && reach(g.columns) <= kMost &&
         reach(g.rows) * reach(g.columns) <= kMost / g.channels;
}

static bool setSources(ImageGeometry &g, const ImageFusion &image) {
  bool fits = true;
  int64_t perSide[2];
  for (unsigned side : {0u, 1u}) {
    graph::ResizeLine line = image.line(side);
    perSide[side] = line.isIdentity() || image.isNearest() ? 1 : 2;
    graph::ResizeLine::Nearest to = line.nearest();
    int64_t last = line.outputs - 1;
    fits &= to.factor * last + to.addend <= kMost && to.by <= kMost &&
            line.scale * last + std::abs(line.offset) <= kMost &&
            line.inputs * line.divisor <= kMost;
  }
  g.tapLines = perSide[0];
  g.taps = perSide[0] * perSide[1];
  return fits;
}

FailureOr<ImageGeometry> ImageGeometry::get(const ImageFusion &image,
                                            const ImageSchedule &schedule,
                                            std::string *reason) {
  auto fail = [&](const char *why) {
    if (reason) {
      *reason = why;
    }
    return failure();
  };
  ImageGeometry result;
  result.schedule = schedule;
  ArrayRef<int64_t> from = image.before.space;
  ArrayRef<int64_t> to = image.after.space;
  if (image.isNhwc()) {
    result.batch = from[0], result.channels = from[3];
    from = from.slice(1, 2), to = to.slice(1, 2);
  } else {
    result.batch = from[0] * from[1], result.channels = 1;
    from = from.drop_front(2), to = to.drop_front(2);
  }
  result.height = from[0], result.width = from[1];
  result.outputRows = to[0], result.outputColumns = to[1];
  result.dtype = cast<RankedTensorType>(image.before.results[0].getType())
                     .getElementType();
  result.epilogueInstructions = EpilogueEmitter::instructionCount(image.after);
  result.prologueInstructions =
      BodyEvaluator::instructionCount(image.before.epilogue);
  for (Value input : image.before.epilogueInputs) {
    result.inputBytes +=
        double(kernel::getBytes(cast<RankedTensorType>(input.getType())));
  }
  if (schedule.channels * kernel::getElementBytes(result.dtype) > 16 ||
      result.channels % schedule.channels != 0 ||
      EpilogueEmitter::lanesFor(image.after, schedule.channels) !=
          schedule.channels) {
    return fail("channels are not next to each other in such vectors");
  }
  if (!(image.pool ? setWindows(result, image) : setSources(result, image)) ||
      llvm::product_of(ArrayRef<int64_t>(image.before.space)) > kMost ||
      result.pixels() > kMost || result.pixels() * result.channels > kMost) {
    return fail("images too large");
  }
  return result;
}

int64_t ImageGeometry::blocks() const {
  return int64_t(llvm::divideCeil(items(), schedule.threads));
}

double ImageGeometry::estimateUs(const DeviceProfile &profile) const {
  double lanes = double(schedule.channels);
  // Each load has an address and checks, is converted and combined.
  double ofTap = 8 + lanes * double(2 + prologueInstructions);
  double instructions =
      50 + double(taps) * ofTap + lanes * double(epilogueInstructions);
  double threads = double(blocks() * schedule.threads);
  double perUs = profile.peakGflops / 2 * 1e3;
  double computeUs = perUs > 0 ? threads * instructions / (0.7 * perUs) : 0;
  // Loads of a line of taps wait for memory together.
  double resident = double(std::max(profile.smCount, 1)) *
                    double(std::max(profile.threadsPerSm, 1)) * 0.5;
  double lines = isUnrolled() ? 1 : double(tapLines);
  double waitUs = (0.7 + 0.3 * lines) * std::max(1.0, threads / resident);
  // A thread's own instructions follow each other, which shows where a window
  // is the whole image and threads are few: means of 32 NHWC images, by blocks
  // of 64 threads, took 158 us on an H200 with 8 channels to a thread and 79
  // with 4 (56x56 of 144 channels), 11.6 and 10.1 (14x14 of 672). Larger blocks
  // took up to twice as long, which is not in it.
  constexpr double ofTapUs = 0.0053;
  waitUs += isUnrolled() ? 0 : double(taps) * lanes * ofTapUs;
  double bytes = inputBytes + double(pixels() * channels) *
                                  double(kernel::getElementBytes(dtype));
  double memoryUs =
      profile.memoryGBs > 0 ? bytes / (0.85 * profile.memoryGBs) * 1e-3 : 0;
  double longest = std::max({memoryUs, computeUs, waitUs});
  return launchUs + 0.85 * longest + 0.15 * (memoryUs + computeUs + waitUs) -
         (schedule.programmatic ? 0.5 : 0);
}

} // namespace minic::cuda
