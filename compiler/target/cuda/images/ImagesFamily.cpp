// SPDX-License-Identifier: Apache-2.0
//
// Matching, offering and lowering of pools and resizes.

#include "compiler/target/cuda/images/ImagesFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/codegen/AnalyzeFusion.h"
#include "compiler/target/cuda/KernelLaunch.h"
#include "compiler/target/cuda/images/EmitImages.h"

using namespace mlir;

namespace minic::cuda {

/// What this family takes of a fusion, or why it does not.
static FailureOr<ImageFusion> match(kernel::FusionOp fusion,
                                    std::string *reason) {
  return ImageFusion::get(fusion, *reason);
}

static auto analyze(kernel::FusionOp fusion) {
  return analyzeFusion<ImageGeometry>(fusion, match, parseImageSchedule);
}

/// Vectors as wide as channels allow, and half of that.
static std::vector<ImageGeometry>
enumerateSchedules(const ImageFusion &image, const DeviceProfile &profile,
                   std::string *reason) {
  std::vector<ImageGeometry> found;
  for (int64_t channels = 8; channels >= 1; channels /= 2) {
    bool isWide = !profile.asksForAll() && !found.empty() &&
                  found.front().schedule.channels > 2 * channels;
    for (int64_t threads : {64, 128, 256}) {
      ImageSchedule schedule{channels, threads, profile.smVersion >= 90};
      auto one = ImageGeometry::get(image, schedule, reason);
      if (succeeded(one) && !isWide) {
        found.push_back(*one);
      }
    }
  }
  return found;
}

std::optional<std::string>
ImagesFamily::reject(kernel::FusionOp fusion,
                     const DeviceProfile &profile) const {
  std::string reason;
  auto image = match(fusion, &reason);
  if (failed(image) || enumerateSchedules(*image, profile, &reason).empty()) {
    return reason;
  }
  return std::nullopt;
}

std::vector<Implementation>
ImagesFamily::enumerate(kernel::FusionOp fusion,
                        const DeviceProfile &profile) const {
  std::string reason;
  auto image = match(fusion, &reason);
  if (failed(image)) {
    return {};
  }
  std::vector<Implementation> implementations;
  for (const ImageGeometry &one :
       enumerateSchedules(*image, profile, &reason)) {
    implementations.push_back(offerDense(
        fusion, name(), toAttribute(one.schedule, fusion.getContext()),
        toString(one.schedule), one.estimateUs(profile)));
  }
  llvm::sort(implementations, [](const auto &a, const auto &b) {
    return std::tie(a.estimateUs, a.name) < std::tie(b.estimateUs, b.name);
  });
  return implementations;
}

LogicalResult ImagesFamily::lower(kernel::FusionOp fusion,
                                  plan::PlanBuilder &plan) const {
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  auto &[image, geometry] = *analyzed;
  KernelLaunch launch;
  launch.grid = {geometry.blocks()};
  launch.threads = geometry.schedule.threads;
  launch.programmatic = geometry.schedule.programmatic;
  launch.label = toString(geometry.schedule);
  addLaunch(plan, fusion, plan.kernel(fusion, launch.label), launch);
  return success();
}

LogicalResult ImagesFamily::emit(plan::KernelOp kernel,
                                 const DeviceProfile &profile,
                                 ModuleOp device) const {
  auto fusion = cast<kernel::FusionOp>(kernel.getBody().front().front());
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  auto &[image, geometry] = *analyzed;
  if (failed(
          checkProgrammatic(kernel, geometry.schedule.programmatic, profile))) {
    return failure();
  }
  emitImages(fusion.getLoc(), device,
             cast<StringAttr>(kernel.getEntries()[0]).getValue(), image,
             geometry, int64_t(fusion.getInputs().size()));
  return success();
}

} // namespace minic::cuda
