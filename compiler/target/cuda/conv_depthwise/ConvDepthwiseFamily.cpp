// SPDX-License-Identifier: Apache-2.0
//
// Matching, offering and lowering of conv_depthwise.

#include "compiler/target/cuda/conv_depthwise/ConvDepthwiseFamily.h"

#include "compiler/target/codegen/AnalyzeFusion.h"
#include "compiler/target/cuda/KernelLaunch.h"
#include "compiler/target/cuda/conv_depthwise/EmitDepthwise.h"
#include "compiler/target/cuda/gemm/ConvolutionView.h"

using namespace mlir;

namespace minic::cuda {

/// The shape of a fusion that this family takes, or why it does not.
static FailureOr<kernel::FusionShape> match(kernel::FusionOp fusion,
                                            std::string *reason) {
  auto shape = matchAnyConvolution(fusion, reason);
  if (succeeded(shape) && !isDepthwise(shape->conv->geometry)) {
    *reason = "groups of several channels, or one group";
    return failure();
  }
  return shape;
}

static auto analyze(kernel::FusionOp fusion) {
  return analyzeFusion<DepthwiseGeometry>(fusion, match,
                                          parseDepthwiseSchedule);
}

static size_t filterOf(const kernel::FusionShape &shape) {
  return cast<BlockArgument>(shape.conv->filter).getArgNumber();
}

/// Vectors as wide as channels allow, and half of that; strips of every length.
static std::vector<DepthwiseGeometry>
enumerateSchedules(const kernel::FusionShape &shape,
                   const DeviceProfile &profile, std::string *reason) {
  std::vector<DepthwiseGeometry> found;
  for (int64_t channels = 8; channels >= 1; channels /= 2) {
    bool isWide = !profile.asksForAll() && !found.empty() &&
                  found.front().schedule.channels > 2 * channels;
    for (int64_t pixels : {1, 2, 4, 8}) {
      for (int64_t threads : {64, 128, 256}) {
        DepthwiseSchedule schedule{channels, pixels, threads,
                                   profile.smVersion >= 90};
        auto one = DepthwiseGeometry::get(shape, schedule, reason);
        // More sums than a thread should hold.
        if (succeeded(one) && !isWide && schedule.results() <= 32) {
          found.push_back(*one);
        }
      }
    }
  }
  return found;
}

std::optional<std::string>
ConvDepthwiseFamily::reject(kernel::FusionOp fusion,
                            const DeviceProfile &profile) const {
  std::string reason;
  auto shape = match(fusion, &reason);
  if (failed(shape) || enumerateSchedules(*shape, profile, &reason).empty()) {
    return reason;
  }
  return std::nullopt;
}

std::vector<Implementation>
ConvDepthwiseFamily::enumerate(kernel::FusionOp fusion,
                               const DeviceProfile &profile) const {
  std::string reason;
  auto shape = match(fusion, &reason);
  if (failed(shape)) {
    return {};
  }
  MLIRContext *context = fusion.getContext();
  std::vector<Implementation> implementations;
  for (const DepthwiseGeometry &one :
       enumerateSchedules(*shape, profile, &reason)) {
    Implementation made;
    made.impl = kernel::ImplAttr::get(context, name(),
                                      toAttribute(one.schedule, context));
    made.operandLayouts.assign(fusion.getInputs().size(),
                               UnitAttr::get(context));
    made.operandLayouts[filterOf(*shape)] = one.filterLayout();
    made.name = toString(one.schedule);
    made.estimateUs = one.estimateUs(profile);
    made.kind = "conv_depthwise " + std::to_string(one.schedule.channels) +
                "x" + std::to_string(one.schedule.pixels);
    implementations.push_back(std::move(made));
  }
  llvm::sort(implementations, [](const auto &a, const auto &b) {
    return std::tie(a.estimateUs, a.name) < std::tie(b.estimateUs, b.name);
  });
  return implementations;
}

LogicalResult ConvDepthwiseFamily::lower(kernel::FusionOp fusion,
                                         plan::PlanBuilder &plan) const {
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  auto &[shape, geometry] = *analyzed;
  size_t filter = filterOf(shape);
  auto type = cast<RankedTensorType>(fusion.getInputs()[filter].getType());
  Attribute expected = geometry.filterLayout();
  if (kernel::getLayout(type) != dyn_cast<kernel::LayoutAttr>(expected)) {
    return fusion.emitError("conv_depthwise expects operand ")
           << filter << " in layout " << expected << ", got " << type;
  }
  if (geometry.items() == 0) {
    return success(); // the result has no elements
  }
  KernelLaunch launch;
  launch.grid = {geometry.blocks()};
  launch.threads = geometry.schedule.threads;
  launch.programmatic = geometry.schedule.programmatic;
  launch.label = toString(geometry.schedule);
  addLaunch(plan, fusion, plan.kernel(fusion, launch.label), launch);
  return success();
}

LogicalResult ConvDepthwiseFamily::emit(plan::KernelOp kernel,
                                        const DeviceProfile &profile,
                                        ModuleOp device) const {
  auto fusion = cast<kernel::FusionOp>(kernel.getBody().front().front());
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  auto &[shape, geometry] = *analyzed;
  if (failed(
          checkProgrammatic(kernel, geometry.schedule.programmatic, profile))) {
    return failure();
  }
  emitDepthwise(fusion.getLoc(), device,
                cast<StringAttr>(kernel.getEntries()[0]).getValue(), shape,
                geometry, int64_t(fusion.getInputs().size()));
  return success();
}

} // namespace minic::cuda
