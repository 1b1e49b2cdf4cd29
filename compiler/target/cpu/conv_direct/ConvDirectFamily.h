// SPDX-License-Identifier: Apache-2.0
//
// The family conv_direct: one convolution with a pointwise epilogue, without
// writing out the matrix that it would be as a product.

#ifndef MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_CONVDIRECTFAMILY_H
#define MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_CONVDIRECTFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cpu {

/// Takes conv2d of f32, bf16 and f16 in either layout, of any extents, strides,
/// pads, dilations and groups, with any pointwise ops after it. A constant
/// filter is packed at compile time; another is packed by a kernel of its own
/// before this one.
class ConvDirectFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "conv_direct"; }
  llvm::StringRef version() const override { return "2"; }
  bool isFor(mlir::Operation *anchor) const override {
    return anchor && graph::isConvolution(anchor);
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

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_CONVDIRECTFAMILY_H
