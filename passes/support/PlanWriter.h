// SPDX-License-Identifier: Apache-2.0
//
// PlanWriter: writes one function's plan while plan-lower walks its tensors.

#ifndef MINIC_PASSES_SUPPORT_PLANWRITER_H
#define MINIC_PASSES_SUPPORT_PLANWRITER_H

#include "dialects/plan/FusionLowering.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace minic {

/// The constants, kernels and symbols that the plans of a module share.
/// Constants and kernels that are equal exist once.
class PlanSymbols {
public:
  /// Symbols are created in front of `module`'s end.
  explicit PlanSymbols(mlir::ModuleOp module, llvm::StringRef target);

  plan::ConstantOp constant(graph::ConstantOp op);
  plan::KernelOp kernel(mlir::Operation *op, llvm::StringRef stem,
                        int64_t entries);

  size_t constantCount() const { return constants.size(); }
  size_t kernelCount() const { return kernels.size(); }

private:
  std::string makeUnique(llvm::StringRef stem);

  mlir::ModuleOp module;
  std::string target;
  llvm::StringSet<> used;
  llvm::MapVector<mlir::Attribute, plan::ConstantOp> constants;
  /// The key is the printed text without names.
  llvm::StringMap<plan::KernelOp> kernels;
};

/// The addresses of one function's tensors, and the commands of its `run`
/// region.
class PlanWriter : public plan::PlanBuilder {
public:
  PlanWriter(plan::VariantOp variant, PlanSymbols &symbols);

  mlir::OpBuilder &builder() override { return opBuilder; }
  /// Makes the address where `tensor` has none yet: an input, a constant, the
  /// address of what a reshape views, or a buffer.
  mlir::Value addressOf(mlir::Value tensor) override;
  mlir::Value buffer(int64_t bytes) override;
  mlir::Value zeroedBuffer(int64_t bytes) override;
  mlir::Value statusWord() override;
  int64_t threads() const override;
  plan::KernelOp kernel(mlir::Operation *op, llvm::StringRef stem,
                        int64_t entries) override {
    return symbols.kernel(op, stem, entries);
  }

  /// `tensor` is produced directly in output number `index`. False where it
  /// cannot be: no command produces it, or it already has an address.
  bool placeInOutput(mlir::Value tensor, int64_t index);

private:
  plan::VariantOp variant;
  PlanSymbols &symbols;
  mlir::OpBuilder opBuilder;
  llvm::DenseMap<mlir::Value, mlir::Value> addresses;
  mlir::Value status;
};

} // namespace minic

#endif // MINIC_PASSES_SUPPORT_PLANWRITER_H
