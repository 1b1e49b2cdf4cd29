// SPDX-License-Identifier: Apache-2.0
//
// Matching, lowering and emission of gemm_packed.

#include "compiler/target/cpu/gemm_packed/GemmPackedFamily.h"

#include "compiler/target/codegen/AnalyzeFusion.h"
#include "compiler/target/cpu/KernelLaunch.h"
#include "compiler/target/cpu/PackedRhs.h"
#include "compiler/target/cpu/gemm_packed/EmitGemm.h"
#include "compiler/target/cpu/gemm_packed/EnumerateSchedules.h"

using namespace mlir;

namespace minic::cpu {

static auto analyze(kernel::FusionOp fusion) {
  return analyzeFusion<GemmGeometry>(fusion, matchPackedGemm,
                                     parseGemmPackedSchedule);
}

/// Where a run of fewer rows computes only these.
static std::optional<RunBound> boundOf(kernel::FusionOp fusion,
                                       const GemmGeometry &geometry) {
  return geometry.batches == 1 ? RunBound::get(fusion, geometry.gemm.m)
                               : std::nullopt;
}

std::optional<std::string>
GemmPackedFamily::reject(kernel::FusionOp fusion,
                         const DeviceProfile &profile) const {
  if (!profile.has("avx2") || !profile.has("fma")) {
    return "the CPU lacks AVX2 or FMA";
  }
  std::string reason;
  if (failed(matchPackedGemm(fusion, &reason))) {
    return reason;
  }
  return std::nullopt;
}

std::vector<Implementation>
GemmPackedFamily::enumerate(kernel::FusionOp fusion,
                            const DeviceProfile &profile) const {
  std::string reason;
  FailureOr<kernel::FusionShape> shape = matchPackedGemm(fusion, &reason);
  if (failed(shape)) {
    return {};
  }
  MLIRContext *context = fusion.getContext();
  size_t rhs = cast<BlockArgument>(shape->gemm->rhs).getArgNumber();
  std::vector<Implementation> implementations;
  for (const EstimatedSchedule &estimated :
       enumerateSchedules(*shape, profile)) {
    FailureOr<GemmGeometry> geometry =
        GemmGeometry::get(*shape, estimated.schedule, nullptr);
    Implementation implementation;
    implementation.impl = kernel::ImplAttr::get(
        context, name(), toAttribute(estimated.schedule, context));
    implementation.operandLayouts.assign(fusion.getInputs().size(),
                                         UnitAttr::get(context));
    implementation.operandLayouts[rhs] = getRhsLayout(*shape, *geometry);
    implementation.name = toString(estimated.schedule);
    implementation.estimateUs = estimated.microseconds;
    implementations.push_back(std::move(implementation));
  }
  return implementations;
}

LogicalResult GemmPackedFamily::lower(kernel::FusionOp fusion,
                                      plan::PlanBuilder &plan) const {
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  auto &[shape, geometry] = *analyzed;
  size_t rhs = cast<BlockArgument>(geometry.gemm.rhs).getArgNumber();
  kernel::LayoutAttr expected = getRhsLayout(shape, geometry);
  auto type = cast<RankedTensorType>(fusion.getInputs()[rhs].getType());
  if (kernel::getLayout(type) != expected) {
    return fusion.emitError("gemm_packed expects operand ")
           << rhs << " in layout " << expected << ", got " << type;
  }
  if (geometry.grid() == 0) {
    return success(); // the result has no elements
  }
  const GemmPackedSchedule &schedule = geometry.schedule;
  plan::KernelOp kernel = plan.kernel(fusion, toString(schedule));
  KernelLaunch launch = {geometry.grid(), geometry.scratchBytes(),
                         toString(schedule)};
  if (auto bound = boundOf(fusion, geometry)) {
    launch.runSize = plan.sizeWord(bound->dim);
  }
  addLaunch(plan, fusion, kernel, launch);
  return success();
}

LogicalResult GemmPackedFamily::emit(plan::KernelOp kernel,
                                     const DeviceProfile &profile,
                                     ModuleOp device) const {
  auto fusion = cast<kernel::FusionOp>(kernel.getBody().front().front());
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  auto &[shape, geometry] = *analyzed;
  if (StringRef needed = geometry.neededFeature();
      !needed.empty() && !profile.has(needed.str())) {
    return fusion.emitError("gemm_packed ")
           << toString(geometry.schedule) << " needs the CPU feature "
           << needed;
  }
  emitGemm(fusion.getLoc(), device,
           cast<StringAttr>(kernel.getEntries()[0]).getValue(), shape, geometry,
           /*launchGrid=*/std::nullopt,
           BoundedRows::get(
               boundOf(fusion, geometry),
               int64_t(fusion.getInputs().size() + fusion.getNumResults())));
  return success();
}

} // namespace minic::cpu
