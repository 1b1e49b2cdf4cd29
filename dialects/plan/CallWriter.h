// SPDX-License-Identifier: Apache-2.0
//
// CallWriter: a library call while a backend lowers a fusion to it.

#ifndef MINIC_DIALECTS_PLAN_CALLWRITER_H
#define MINIC_DIALECTS_PLAN_CALLWRITER_H

#include "dialects/plan/FusionLowering.h"

namespace minic::plan {

/// Collects the operands, attributes and epilogue of one call; addresses are
/// numbered in the order in which they are added. What the library takes is
/// checked when the plan.call is verified.
class CallWriter {
public:
  CallWriter(kernel::FusionOp fusion, PlanBuilder &plan,
             llvm::StringRef library, llvm::StringRef op)
      : fusion(fusion), plan(plan), library(library), op(op) {}

  PlanBuilder &planBuilder() { return plan; }

  /// The operand of the fusion that `argument` of its body stands for.
  mlir::Value outer(mlir::Value argument);
  /// The number of another address.
  int64_t address(mlir::Value address, Access access);
  TensorViewAttr view(int64_t address, mlir::Type dtype,
                      llvm::ArrayRef<int64_t> dims,
                      llvm::ArrayRef<int64_t> strides);

  void operand(llvm::StringRef role, TensorViewAttr view);
  void set(llvm::StringRef name, int64_t value);
  void set(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  void set(llvm::StringRef name, llvm::StringRef text);
  void setNumber(llvm::StringRef name, double value);
  /// Appends #plan.eltwise or #plan.binary to the epilogue; null is none.
  void postOp(mlir::Attribute postOp);
  /// As `version` of the library names it; either may be empty.
  void setAlgorithm(llvm::StringRef algorithm) { this->algorithm = algorithm; }
  void setVersion(llvm::StringRef version) { this->version = version.str(); }

  /// The call, labelled by `name` and the ops of the fusion, with workspace
  /// where `scratchBytes` is not 0.
  CallOp create(llvm::StringRef name, int64_t scratchBytes = 0);

private:
  kernel::FusionOp fusion;
  PlanBuilder &plan;
  llvm::StringRef library, op;
  llvm::SmallVector<mlir::Value> addresses;
  llvm::SmallVector<mlir::Attribute> accesses;
  llvm::SmallVector<OperandAttr> operands;
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  llvm::SmallVector<mlir::Attribute> epilogue;
  llvm::StringRef algorithm;
  std::string version;
};

} // namespace minic::plan

#endif // MINIC_DIALECTS_PLAN_CALLWRITER_H
