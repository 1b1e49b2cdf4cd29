// SPDX-License-Identifier: Apache-2.0
//
// The rows kernel family.

#ifndef MINIC_COMPILER_TARGET_CUDA_ROWS_ROWSFAMILY_H
#define MINIC_COMPILER_TARGET_CUDA_ROWS_ROWSFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cuda {

/// Launches over the rows of a RowFusion: softmax, norms, reductions along some
/// dimensions, with the pointwise ops around them, in any dtype. Operands are
/// dense. The order of every sum is fixed. Blocks that share a row need one
/// launch for each pass over it, or a cluster.
///
/// Schedule: RowSchedule. Name: "rows 256x1 8x2 pdl".
class RowsFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "rows"; }
  llvm::StringRef version() const override { return "5"; }
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

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ROWS_ROWSFAMILY_H
