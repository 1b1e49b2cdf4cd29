// SPDX-License-Identifier: Apache-2.0
//
// Matching, lowering and emission of gemm_amx.

#include "compiler/target/cpu/gemm_amx/GemmAmxFamily.h"

#include "compiler/target/codegen/AnalyzeFusion.h"
#include "compiler/target/cpu/KernelLaunch.h"
#include "compiler/target/cpu/PackedRhs.h"
#include "compiler/target/cpu/gemm_amx/EmitGemmAmx.h"
#include "compiler/target/cpu/gemm_amx/EnumerateSchedules.h"

using namespace mlir;

namespace minic::cpu {

/// What products of `factor` need that the CPU lacks; empty if nothing. The
/// form without AMX needs the last one.
static StringRef missingFeature(Type factor, const DeviceProfile &profile) {
  bool isInteger = factor.isInteger();
  for (StringRef needed :
       {StringRef("amx-tile"), StringRef(isInteger ? "amx-int8" : "amx-bf16"),
        StringRef(isInteger ? "avx512vnni" : "avx512bf16")}) {
    if (!profile.has(needed.str())) {
      return needed;
    }
  }
  return "";
}

static FailureOr<kernel::FusionShape> match(kernel::FusionOp fusion,
                                            std::string *reason) {
  FailureOr<kernel::FusionShape> shape = matchPackedProduct(fusion, reason);
  // Whatever the schedule, rows can be packed.
  if (failed(shape) ||
      failed(GemmAmxGeometry::get(*shape, GemmAmxSchedule(), reason))) {
    return failure();
  }
  return shape;
}

static auto analyze(kernel::FusionOp fusion) {
  return analyzeFusion<GemmAmxGeometry>(fusion, match, parseGemmAmxSchedule);
}

std::optional<std::string>
GemmAmxFamily::reject(kernel::FusionOp fusion,
                      const DeviceProfile &profile) const {
  if (!profile.has("amx-tile")) {
    return "the CPU lacks AMX";
  }
  std::string reason;
  FailureOr<kernel::FusionShape> shape = match(fusion, &reason);
  if (failed(shape)) {
    return reason;
  }
  StringRef missing = missingFeature(shape->gemm->lhsType, profile);
  if (!missing.empty()) {
    return ("the CPU lacks " + missing).str();
  }
  return std::nullopt;
}

std::vector<Implementation>
GemmAmxFamily::enumerate(kernel::FusionOp fusion,
                         const DeviceProfile &profile) const {
  std::string reason;
  FailureOr<kernel::FusionShape> shape = match(fusion, &reason);
  if (failed(shape)) {
    return {};
  }
  MLIRContext *context = fusion.getContext();
  size_t rhs = cast<BlockArgument>(shape->gemm->rhs).getArgNumber();
  std::vector<Implementation> implementations;
  for (const EstimatedAmxSchedule &estimated :
       enumerateAmxSchedules(*shape, profile)) {
    FailureOr<GemmAmxGeometry> geometry =
        GemmAmxGeometry::get(*shape, estimated.schedule, nullptr);
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

/// Where a run of fewer rows computes only these.
static std::optional<RunBound> boundOf(kernel::FusionOp fusion,
                                       const GemmAmxGeometry &geometry) {
  if (geometry.batches != 1) {
    return std::nullopt;
  }
  return RunBound::get(fusion, geometry.image ? geometry.image->conv.batch
                                              : geometry.gemm.m);
}

LogicalResult GemmAmxFamily::lower(kernel::FusionOp fusion,
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
    return fusion.emitError("gemm_amx expects operand ")
           << rhs << " in layout " << expected << ", got " << type;
  }
  if (geometry.grid() == 0) {
    return success(); // the result has no elements
  }
  std::string label = toString(geometry.schedule);
  plan::KernelOp kernel = plan.kernel(fusion, label);
  KernelLaunch launch = {geometry.grid(), geometry.scratchBytes(), label};
  if (auto bound = boundOf(fusion, geometry)) {
    launch.runSize = plan.sizeWord(bound->dim);
  }
  addLaunch(plan, fusion, kernel, launch);
  return success();
}

LogicalResult GemmAmxFamily::emit(plan::KernelOp kernel,
                                  const DeviceProfile &profile,
                                  ModuleOp device) const {
  auto fusion = cast<kernel::FusionOp>(kernel.getBody().front().front());
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  auto &[shape, geometry] = *analyzed;
  // LLVM ends the process where an instruction is not of the target.
  StringRef missing = missingFeature(geometry.factorType(), profile);
  if (!missing.empty()) {
    return fusion.emitError("gemm_amx needs the CPU feature ") << missing;
  }
  emitGemmAmx(fusion.getLoc(), device,
              cast<StringAttr>(kernel.getEntries()[0]).getValue(), shape,
              geometry,
              BoundedRows::get(
                  boundOf(fusion, geometry),
                  int64_t(fusion.getInputs().size() + fusion.getNumResults())));
  return success();
}

} // namespace minic::cpu
