// SPDX-License-Identifier: Apache-2.0
//
// Matching, lowering and emission of gemm_sm90.

#include "compiler/target/cuda/gemm_sm90/GemmSm90Family.h"

#include "compiler/target/codegen/AnalyzeFusion.h"
#include "compiler/target/cuda/gemm/ConvolutionView.h"
#include "compiler/target/cuda/gemm/GemmLowering.h"
#include "compiler/target/cuda/gemm_sm90/EmitGemm.h"
#include "compiler/target/cuda/gemm_sm90/EnumerateSchedules.h"

using namespace mlir;

namespace minic::cuda {

/// The shape of a fusion that this family takes, or why it does not.
static FailureOr<kernel::FusionShape> match(kernel::FusionOp fusion,
                                            std::string *reason) {
  auto fail = [&](const char *why) {
    *reason = why;
    return failure();
  };
  FailureOr<kernel::FusionShape> shape =
      kernel::FusionShape::get(fusion, reason, kernel::ColumnTurns::Taken);
  if (failed(shape)) {
    return failure();
  }
  if (const char *why = viewPlainProduct(*shape)) {
    return fail(why);
  }
  const kernel::GemmShape &gemm = *shape->gemm;
  if (gemm.lhsType != gemm.rhsType ||
      (!gemm.lhsType.isBF16() && !gemm.lhsType.isF16())) {
    return fail("operands that are not both bf16 or f16");
  }
  if (areRelaidForOthers(*shape)) {
    return fail(relaidForOthers);
  }
  return shape;
}

static auto analyze(kernel::FusionOp fusion) {
  return analyzeFusion<GemmSm90Geometry>(fusion, match, parseGemmSm90Schedule);
}

std::optional<std::string>
GemmSm90Family::reject(kernel::FusionOp fusion,
                       const DeviceProfile &profile) const {
  return rejectSm90(fusion, profile, match);
}

std::vector<Implementation>
GemmSm90Family::enumerate(kernel::FusionOp fusion,
                          const DeviceProfile &profile) const {
  std::string reason;
  FailureOr<kernel::FusionShape> shape = match(fusion, &reason);
  if (failed(shape)) {
    return {};
  }
  return implementationsOf<GemmSm90Geometry>(
      fusion, *shape, name(), enumerateSm90Schedules(*shape, profile),
      [&](const auto &schedule) { return kindOf(name(), schedule); });
}

LogicalResult GemmSm90Family::lower(kernel::FusionOp fusion,
                                    plan::PlanBuilder &plan) const {
  return lowerGemm(fusion, plan, analyze(fusion),
                   [](const GemmSm90Geometry &g, KernelLaunch &launch) {
                     g.describe(launch);
                   });
}

LogicalResult GemmSm90Family::emit(plan::KernelOp kernel,
                                   const DeviceProfile &profile,
                                   ModuleOp device) const {
  auto fusion = cast<kernel::FusionOp>(kernel.getBody().front().front());
  return emitGemmKernel(kernel, fusion, analyze(fusion), profile, device);
}

} // namespace minic::cuda
