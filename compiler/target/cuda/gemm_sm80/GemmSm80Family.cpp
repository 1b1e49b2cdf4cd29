// SPDX-License-Identifier: Apache-2.0
//
// Matching, lowering and emission of gemm_sm80.

#include "compiler/target/cuda/gemm_sm80/GemmSm80Family.h"

#include "compiler/target/codegen/AnalyzeFusion.h"
#include "compiler/target/cuda/gemm/ConvolutionView.h"
#include "compiler/target/cuda/gemm/GemmLowering.h"
#include "compiler/target/cuda/gemm/GemmTime.h"
#include "compiler/target/cuda/gemm_sm80/EmitGemm.h"
#include "compiler/target/cuda/gemm_sm80/EnumerateSchedules.h"

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
  bool known =
      gemm.lhsType.isF32() || gemm.lhsType.isBF16() || gemm.lhsType.isF16();
  if (!known || gemm.lhsType != gemm.rhsType) {
    return fail("operands that are not both bf16, f16 or f32");
  }
  if (areRelaidForOthers(*shape)) {
    return fail(relaidForOthers);
  }
  return shape;
}

static auto analyze(kernel::FusionOp fusion) {
  return analyzeFusion<GemmSm80Geometry>(fusion, match, parseGemmSm80Schedule);
}

std::optional<std::string>
GemmSm80Family::reject(kernel::FusionOp fusion,
                       const DeviceProfile &profile) const {
  return rejectSm80(fusion, profile, match);
}

std::vector<Implementation>
GemmSm80Family::enumerate(kernel::FusionOp fusion,
                          const DeviceProfile &profile) const {
  std::string reason;
  FailureOr<kernel::FusionShape> shape = match(fusion, &reason);
  if (failed(shape)) {
    return {};
  }
  return implementationsOf<GemmSm80Geometry>(
      fusion, *shape, name(), enumerateSchedules(*shape, profile),
      [&](const auto &schedule) {
        return kindOf(name(), schedule, streamsWeights(*shape->gemm));
      });
}

LogicalResult GemmSm80Family::lower(kernel::FusionOp fusion,
                                    plan::PlanBuilder &plan) const {
  return lowerGemm(fusion, plan, analyze(fusion));
}

LogicalResult GemmSm80Family::emit(plan::KernelOp kernel,
                                   const DeviceProfile &profile,
                                   ModuleOp device) const {
  auto fusion = cast<kernel::FusionOp>(kernel.getBody().front().front());
  return emitGemmKernel(kernel, fusion, analyze(fusion), profile, device);
}

} // namespace minic::cuda
