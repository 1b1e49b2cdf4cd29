// SPDX-License-Identifier: Apache-2.0
//
// Matching, lowering and emission of conv_sm80. Which operand is read from
// images, and how, is in the geometry (ImageMatrix).

#include "compiler/target/cuda/conv_sm80/ConvSm80Family.h"

#include "compiler/target/codegen/AnalyzeFusion.h"
#include "compiler/target/cuda/gemm/ConvolutionView.h"
#include "compiler/target/cuda/gemm/GemmLowering.h"
#include "compiler/target/cuda/gemm_sm80/EmitGemm.h"
#include "compiler/target/cuda/gemm_sm80/EnumerateSchedules.h"

using namespace mlir;

namespace minic::cuda {

static auto analyze(kernel::FusionOp fusion) {
  return analyzeFusion<GemmSm80Geometry>(fusion, matchConvolution,
                                         parseConvSm80Schedule);
}

std::optional<std::string>
ConvSm80Family::reject(kernel::FusionOp fusion,
                       const DeviceProfile &profile) const {
  return rejectSm80(fusion, profile, matchConvolution);
}

std::vector<Implementation>
ConvSm80Family::enumerate(kernel::FusionOp fusion,
                          const DeviceProfile &profile) const {
  std::string reason;
  FailureOr<kernel::FusionShape> shape = matchConvolution(fusion, &reason);
  if (failed(shape)) {
    return {};
  }
  return implementationsOf<GemmSm80Geometry>(
      fusion, *shape, name(), enumerateSchedules(*shape, profile),
      [&](const auto &schedule) {
        // Of which a copy brings less than 16 bytes.
        bool isNarrow = shape->conv->geometry.inputChannelsPerGroup() < 8;
        return kindOf(name(), schedule, false) + (isNarrow ? " narrow" : "");
      });
}

LogicalResult ConvSm80Family::lower(kernel::FusionOp fusion,
                                    plan::PlanBuilder &plan) const {
  return lowerGemm(fusion, plan, analyze(fusion));
}

LogicalResult ConvSm80Family::emit(plan::KernelOp kernel,
                                   const DeviceProfile &profile,
                                   ModuleOp device) const {
  auto fusion = cast<kernel::FusionOp>(kernel.getBody().front().front());
  return emitGemmKernel(kernel, fusion, analyze(fusion), profile, device);
}

} // namespace minic::cuda
