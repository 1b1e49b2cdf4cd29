// SPDX-License-Identifier: Apache-2.0
//
// Matching, lowering and emission of conv_direct.

#include "compiler/target/cpu/conv_direct/ConvDirectFamily.h"

#include "compiler/target/codegen/AnalyzeFusion.h"
#include "compiler/target/cpu/KernelLaunch.h"
#include "compiler/target/cpu/conv_direct/EmitConv.h"
#include "compiler/target/cpu/conv_direct/EnumerateConvSchedules.h"

using namespace mlir;

namespace minic::cpu {

/// The shape of a fusion that this family takes, or why it does not.
static FailureOr<kernel::FusionShape> match(kernel::FusionOp fusion,
                                            std::string *reason) {
  auto fail = [&](const char *why) {
    *reason = why;
    return failure();
  };
  FailureOr<kernel::FusionShape> shape =
      kernel::FusionShape::get(fusion, reason);
  if (failed(shape)) {
    return failure();
  }
  if (!shape->conv) {
    return fail("no convolution in the body");
  }
  if (!shape->prologue.empty()) {
    return fail("pointwise ops before the convolution");
  }
  // The packed filter is unreadable for anyone else.
  Value filter = shape->conv->filter;
  if (!filter.hasOneUse() || shape->conv->input == filter) {
    return fail("the filter has another use in the body");
  }
  return shape;
}

static auto analyze(kernel::FusionOp fusion) {
  return analyzeFusion<ConvDirectGeometry>(fusion, match,
                                           parseConvDirectSchedule);
}

std::optional<std::string>
ConvDirectFamily::reject(kernel::FusionOp fusion,
                         const DeviceProfile &profile) const {
  if (!profile.has("avx2") || !profile.has("fma")) {
    return "the CPU lacks AVX2 or FMA";
  }
  std::string reason;
  FailureOr<kernel::FusionShape> shape = match(fusion, &reason);
  if (failed(shape) ||
      enumerateConvSchedules(*shape, profile, &reason, 1).empty()) {
    return reason;
  }
  return std::nullopt;
}

std::vector<Implementation>
ConvDirectFamily::enumerate(kernel::FusionOp fusion,
                            const DeviceProfile &profile) const {
  std::string reason;
  FailureOr<kernel::FusionShape> shape = match(fusion, &reason);
  if (failed(shape)) {
    return {};
  }
  MLIRContext *context = fusion.getContext();
  size_t filter = cast<BlockArgument>(shape->conv->filter).getArgNumber();
  std::vector<Implementation> implementations;
  for (const EstimatedConvSchedule &estimated :
       enumerateConvSchedules(*shape, profile, &reason)) {
    FailureOr<ConvDirectGeometry> geometry =
        ConvDirectGeometry::get(*shape, estimated.schedule, nullptr);
    Implementation implementation;
    implementation.impl = kernel::ImplAttr::get(
        context, name(), toAttribute(estimated.schedule, context));
    implementation.operandLayouts.assign(fusion.getInputs().size(),
                                         UnitAttr::get(context));
    implementation.operandLayouts[filter] = getFilterLayout(*geometry);
    implementation.name = toString(estimated.schedule);
    implementation.estimateUs = estimated.microseconds;
    implementations.push_back(std::move(implementation));
  }
  return implementations;
}

/// Where a run of fewer images computes only these. Units are numbered image by
/// image.
static std::optional<RunBound> boundOf(kernel::FusionOp fusion,
                                       const ConvDirectGeometry &geometry) {
  return RunBound::get(fusion, geometry.g().batch);
}

LogicalResult ConvDirectFamily::lower(kernel::FusionOp fusion,
                                      plan::PlanBuilder &plan) const {
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  auto &[shape, geometry] = *analyzed;
  size_t filter = cast<BlockArgument>(geometry.conv.filter).getArgNumber();
  kernel::LayoutAttr expected = getFilterLayout(geometry);
  auto type = cast<RankedTensorType>(fusion.getInputs()[filter].getType());
  if (kernel::getLayout(type) != expected) {
    return fusion.emitError("conv_direct expects operand ")
           << filter << " in layout " << expected << ", got " << type;
  }
  if (geometry.grid() == 0) {
    return success(); // the result has no elements
  }
  const ConvDirectSchedule &schedule = geometry.schedule;
  plan::KernelOp kernel = plan.kernel(fusion, toString(schedule));
  KernelLaunch launch = {geometry.grid(), geometry.scratchBytes(),
                         toString(schedule)};
  if (auto bound = boundOf(fusion, geometry)) {
    launch.runSize = plan.sizeWord(bound->dim);
  }
  addLaunch(plan, fusion, kernel, launch);
  return success();
}

LogicalResult ConvDirectFamily::emit(plan::KernelOp kernel,
                                     const DeviceProfile &profile,
                                     ModuleOp device) const {
  auto fusion = cast<kernel::FusionOp>(kernel.getBody().front().front());
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  auto &[shape, geometry] = *analyzed;
  emitConv(fusion.getLoc(), device,
           cast<StringAttr>(kernel.getEntries()[0]).getValue(), shape, geometry,
           BoundedRows::get(
               boundOf(fusion, geometry),
               int64_t(fusion.getInputs().size() + fusion.getNumResults())));
  return success();
}

} // namespace minic::cpu
