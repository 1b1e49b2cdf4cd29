// SPDX-License-Identifier: Apache-2.0
//
// The family conv_sm90: convolutions as implicit GEMMs by the kernels of
// gemm_sm90.

#ifndef MINIC_COMPILER_TARGET_CUDA_CONV_SM90_CONVSM90FAMILY_H
#define MINIC_COMPILER_TARGET_CUDA_CONV_SM90_CONVSM90FAMILY_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/cuda/gemm/ConvolutionView.h"

namespace minic::cuda {

/// For sm_90a: takes what conv_sm80 does of bf16 and f16, and multiplies by
/// wgmma. Images are copied by cp.async, for TMA knows no windows.
///
/// Schedule: GemmSm90Schedule; "lhs" is of the images. Name: "conv_sm90
/// 128x128x64 warpgroups=2x1 stages=4 group=8".
class ConvSm90Family : public KernelFamily {
public:
  llvm::StringRef name() const override { return "conv_sm90"; }
  llvm::StringRef version() const override { return "6"; }
  bool isFor(mlir::Operation *anchor) const override {
    return isImplicitProduct(anchor);
  }
  std::optional<std::string>
  reject(kernel::FusionOp fusion, const DeviceProfile &profile) const override;
  std::vector<Implementation>
  enumerate(kernel::FusionOp fusion,
            const DeviceProfile &profile) const override;
  mlir::LogicalResult lower(kernel::FusionOp fusion,
                            plan::PlanBuilder &plan) const override;
  mlir::LogicalResult emit(plan::KernelOp kernel, const DeviceProfile &profile,
                           mlir::ModuleOp device) const override;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CONV_SM90_CONVSM90FAMILY_H
