// SPDX-License-Identifier: Apache-2.0
//
// The family images: pools and resizes of images in either order, with
// pointwise ops after them.

#ifndef MINIC_COMPILER_TARGET_CUDA_IMAGES_IMAGESFAMILY_H
#define MINIC_COMPILER_TARGET_CUDA_IMAGES_IMAGESFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cuda {

/// Takes pool2d and resize of f32, bf16 and f16 whose input is an operand, with
/// any pointwise ops behind it. Operands are dense.
class ImagesFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "images"; }
  llvm::StringRef version() const override { return "2"; }
  bool isFor(mlir::Operation *anchor) const override {
    return mlir::isa_and_present<graph::Pool2dOp, graph::ResizeOp>(anchor);
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

#endif // MINIC_COMPILER_TARGET_CUDA_IMAGES_IMAGESFAMILY_H
