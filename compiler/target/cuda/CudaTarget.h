// SPDX-License-Identifier: Apache-2.0
//
// CudaTarget: NVIDIA GPUs from sm_80 on.

#ifndef MINIC_COMPILER_TARGET_CUDA_CUDATARGET_H
#define MINIC_COMPILER_TARGET_CUDA_CUDATARGET_H

#include "compiler/target/Target.h"

namespace minic::cuda {

/// The kernels of a module become one cubin, `plan.binary @cuda_kernels`, of
/// the profile's architecture; where nothing here assembles one, PTX that the
/// driver assembles at load. Each kernel of the user's is a binary of its own,
/// `@user_ENTRY`. What the assembler said of the worst kernel is in
/// the binary's attributes `registers` and `spill_bytes`.
class CudaTarget : public Target {
public:
  explicit CudaTarget(DeviceProfile profile);

  void
  expect(llvm::StringRef source, kernel::FusionOp fusion,
         llvm::MutableArrayRef<Implementation> implementations) const override;
  mlir::LogicalResult lowerRelayout(kernel::RelayoutOp op,
                                    plan::PlanBuilder &plan) const override;

private:
  std::unique_ptr<KernelFamily>
  createPluginFamily(Plugin &plugin) const override;
  void prepareContext(mlir::MLIRContext &context) const override;
  mlir::LogicalResult emitRelayout(plan::KernelOp kernel,
                                   mlir::ModuleOp device) const override;
  mlir::LogicalResult describe(mlir::ModuleOp device,
                               KernelCode &code) const override;
  /// Adds a plan.binary of `ptx`, assembled where there is an assembler;
  /// `owner` as for assembleCubin.
  mlir::LogicalResult assemblePtx(llvm::StringRef name, std::string ptx,
                                  mlir::ModuleOp device,
                                  mlir::OpBuilder &builder,
                                  llvm::StringRef owner = "") const;
  mlir::LogicalResult assemble(mlir::ModuleOp device,
                               mlir::OpBuilder &builder) const override;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CUDATARGET_H
