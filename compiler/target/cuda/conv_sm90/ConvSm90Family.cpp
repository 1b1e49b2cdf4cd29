// SPDX-License-Identifier: Apache-2.0
//
// Matching, lowering and emission of conv_sm90. Which operand is read from
// images, and how, is in the geometry (ImageMatrix).

#include "compiler/target/cuda/conv_sm90/ConvSm90Family.h"

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
  FailureOr<kernel::FusionShape> shape = matchConvolution(fusion, reason);
  if (succeeded(shape) && shape->conv->inputType.isF32()) {
    *reason = "operands that are not both bf16 or f16";
    return failure();
  }
  return shape;
}

static auto analyze(kernel::FusionOp fusion) {
  return analyzeFusion<GemmSm90Geometry>(fusion, match, parseConvSm90Schedule);
}

std::optional<std::string>
ConvSm90Family::reject(kernel::FusionOp fusion,
                       const DeviceProfile &profile) const {
  return rejectSm90(fusion, profile, match);
}

std::vector<Implementation>
ConvSm90Family::enumerate(kernel::FusionOp fusion,
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

LogicalResult ConvSm90Family::lower(kernel::FusionOp fusion,
                                    plan::PlanBuilder &plan) const {
  return lowerGemm(fusion, plan, analyze(fusion),
                   [](const GemmSm90Geometry &g, KernelLaunch &launch) {
                     g.describe(launch);
                   });
}

LogicalResult ConvSm90Family::emit(plan::KernelOp kernel,
                                   const DeviceProfile &profile,
                                   ModuleOp device) const {
  auto fusion = cast<kernel::FusionOp>(kernel.getBody().front().front());
  return emitGemmKernel(kernel, fusion, analyze(fusion), profile, device);
}

} // namespace minic::cuda
