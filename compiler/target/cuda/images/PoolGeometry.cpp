// SPDX-License-Identifier: Apache-2.0
//
// Who has which results, and what that takes.

#include "compiler/target/cuda/images/PoolGeometry.h"

#include "compiler/target/cuda/EpilogueEmitter.h"
#include "compiler/target/cuda/LaunchTime.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

FailureOr<PoolGeometry> PoolGeometry::get(const ImageFusion &image,
                                          const PoolSchedule &schedule,
                                          std::string *reason) {
  auto fail = [&](const char *why) {
    if (reason) {
      *reason = why;
    }
    return failure();
  };
  PoolGeometry result;
  result.schedule = schedule;
  ArrayRef<int64_t> from = image.before.space;
  result.batch = from[0], result.height = from[1];
  result.width = from[2], result.channels = from[3];
  result.rows = image.window(0), result.columns = image.window(1);
  result.dtype = cast<RankedTensorType>(image.before.results[0].getType())
                     .getElementType();
  result.epilogueInstructions = EpilogueEmitter::instructionCount(image.after);
  if (schedule.channels * kernel::getElementBytes(result.dtype) > 16 ||
      result.channels % schedule.channels != 0 ||
      EpilogueEmitter::lanesFor(image.after, schedule.channels) !=
          schedule.channels) {
    return fail("channels are not next to each other in such vectors");
  }
  // Indices and offsets have 32 bits.
  constexpr int64_t most = INT32_MAX / 2;
  auto reach = [](const graph::WindowLine &line) {
    return line.extent + line.before + line.after + line.reach();
  };
  if (reach(result.rows) > most || reach(result.columns) > most ||
      reach(result.rows) * reach(result.columns) > most / result.channels ||
      llvm::product_of(from) > most || result.pixels() > most ||
      result.pixels() * result.channels > most) {
    return fail("images too large");
  }
  return result;
}

int64_t PoolGeometry::blocks() const {
  return int64_t(llvm::divideCeil(items(), schedule.threads));
}

double PoolGeometry::estimateUs(const DeviceProfile &profile) const {
  double lanes = double(schedule.channels);
  // Each load has an address and checks, is converted and combined.
  double instructions = 50 + double(taps()) * (8 + 2 * lanes) +
                        lanes * double(epilogueInstructions);
  double threads = double(blocks() * schedule.threads);
  double perUs = profile.peakGflops / 2 * 1e3;
  double computeUs = perUs > 0 ? threads * instructions / (0.7 * perUs) : 0;
  // Loads of a line of taps wait for memory together.
  double resident = double(std::max(profile.smCount, 1)) *
                    double(std::max(profile.threadsPerSm, 1)) * 0.5;
  double lines = isUnrolled() ? 1 : double(rows.window);
  double waitUs = (0.7 + 0.3 * lines) * std::max(1.0, threads / resident);
  double elements =
      double(batch * height * width * channels) + double(pixels() * channels);
  double bytes = elements * double(kernel::getElementBytes(dtype));
  double memoryUs =
      profile.memoryGBs > 0 ? bytes / (0.85 * profile.memoryGBs) * 1e-3 : 0;
  double longest = std::max({memoryUs, computeUs, waitUs});
  return launchUs + 0.85 * longest + 0.15 * (memoryUs + computeUs + waitUs) -
         (schedule.programmatic ? 0.5 : 0);
}

} // namespace minic::cuda
