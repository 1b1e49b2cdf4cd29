// SPDX-License-Identifier: Apache-2.0
//
// The kernel family `images`: pooling and resizing of floats.

#ifndef MINIC_COMPILER_TARGET_CPU_IMAGES_IMAGESFAMILY_H
#define MINIC_COMPILER_TARGET_CPU_IMAGES_IMAGESFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cpu {

/// One launch over the pixels (NHWC) or lines (NCHW) of a pool2d or resize,
/// with the pointwise ops before and after it: vectors over channels or over
/// the width. Operands are dense.
///
/// Schedule: `{tile = N : i64}`, pixels or lines of a tile.
/// Name: "images tile=8".
class ImagesFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "images"; }
  llvm::StringRef version() const override { return "1"; }
  bool isFor(mlir::Operation *anchor) const override;
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

#endif // MINIC_COMPILER_TARGET_CPU_IMAGES_IMAGESFAMILY_H
