// SPDX-License-Identifier: Apache-2.0
//
// What the oneDNN backends share: one implementation per fusion, its estimate,
// and the plan.call.

#ifndef MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNCALLWRITER_H
#define MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNCALLWRITER_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/cpu/onednn/PostOps.h"

namespace minic::cpu {

/// Collects the operands of one call. Operands are those of the fusion that
/// body arguments stand for, then the result.
class OnednnCallWriter {
public:
  OnednnCallWriter(kernel::FusionOp fusion, plan::PlanBuilder &plan)
      : fusion_(fusion), plan_(plan) {}

  /// The number of the operand that `argument` of the body becomes.
  int64_t read(mlir::Value argument);
  /// Numbers of the operands of `postOps`, and their attributes.
  mlir::ArrayAttr readPostOps(llvm::ArrayRef<PostOp> postOps);
  /// A view of operand number `operand`.
  plan::TensorViewAttr view(int64_t operand, mlir::Type dtype,
                            llvm::ArrayRef<int64_t> dims,
                            llvm::ArrayRef<int64_t> strides);
  /// The result's, which is the last operand.
  plan::TensorViewAttr resultView(const ResultView &view, mlir::Type dtype);
  bool isConstant(int64_t operand) const;

  void write(mlir::Attribute descriptor, llvm::StringRef name);

private:
  kernel::FusionOp fusion_;
  plan::PlanBuilder &plan_;
  llvm::SmallVector<mlir::Value> tensors_;
};

/// The implementation `name` without schedule, and its estimate from `flops`
/// and the bytes of `fusion`.
Implementation onednnImplementation(kernel::FusionOp fusion,
                                    llvm::StringRef name, double flops,
                                    bool isBf16, const DeviceProfile &profile);

/// Diagnoses a schedule with parameters; oneDNN chooses its own.
mlir::LogicalResult checkNoSchedule(kernel::FusionOp fusion,
                                    llvm::StringRef name);

/// "relu, max": those that lose a NaN.
std::string namesThatLoseNan(llvm::ArrayRef<PostOp> postOps);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNCALLWRITER_H
