// SPDX-License-Identifier: Apache-2.0
//
// The pointwise kernel family.

#ifndef MINIC_COMPILER_TARGET_CUDA_POINTWISE_POINTWISEFAMILY_H
#define MINIC_COMPILER_TARGET_CUDA_POINTWISE_POINTWISEFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cuda {

/// One launch over the elements of the results, in vectors. Takes every dtype,
/// broadcasting, several results of one shape, transposes, slices and reshapes
/// that are strides, gathers of rows, concats of operands, rotary embeddings of
/// whole rows, and updates in place (see PointwiseLoops). Operands are dense.
///
/// Schedule: PointwiseSchedule. Name: "pointwise 8x2 threads=256".
class PointwiseFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "pointwise"; }
  llvm::StringRef version() const override { return "8"; }
  bool isFor(mlir::Operation *anchor) const override { return !anchor; }
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

#endif // MINIC_COMPILER_TARGET_CUDA_POINTWISE_POINTWISEFAMILY_H
