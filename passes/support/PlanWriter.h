// SPDX-License-Identifier: Apache-2.0
//
// PlanWriter: writes one function's plan while plan-lower walks its tensors.

#ifndef MINIC_PASSES_SUPPORT_PLANWRITER_H
#define MINIC_PASSES_SUPPORT_PLANWRITER_H

#include "dialects/plan/FusionLowering.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
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

  size_t constantCount() const { return made; }
  size_t kernelCount() const { return kernels.size(); }

private:
  std::string makeUnique(llvm::StringRef stem);
  plan::ConstantOp findEqual(graph::ConstantOp op);

  mlir::ModuleOp module;
  std::string target;
  llvm::StringSet<> used;
  /// Several keys may name one.
  llvm::DenseMap<mlir::Attribute, plan::ConstantOp> constants;
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<plan::ConstantOp, 1>>
      bySource;
  size_t made = 0;
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
  /// place inside of what a reshape or slice views, or a buffer.
  mlir::Value addressOf(mlir::Value tensor) override;
  mlir::Value buffer(int64_t bytes) override;
  mlir::Value zeroedBuffer(int64_t bytes) override;
  mlir::Value statusWord() override;
  mlir::Value sizeWord(mlir::StringAttr dim) override;
  int64_t threads() const override;
  plan::KernelOp kernel(mlir::Operation *op, llvm::StringRef stem,
                        int64_t entries) override {
    return symbols.kernel(op, stem, entries);
  }

  /// `tensor` is at `address` from now on, wherever it was before.
  void setAddress(mlir::Value tensor, mlir::Value address);
  /// `tensor` is produced directly in output number `index`. False where it
  /// cannot be: no command produces it, or it already has an address.
  bool placeInOutput(mlir::Value tensor, int64_t index);

  /// Lets whatever makes operands of `concat`, which is a view, write them into
  /// its result, as far as they are in no other place yet.
  void placePieces(graph::ConcatOp concat);
  /// Copies the other operands there.
  void copyPieces(graph::ConcatOp concat);

private:
  bool canBePlaced(mlir::Value tensor) const;
  mlir::Value addressOfBase(mlir::Value tensor);
  mlir::Value view(mlir::Value base, int64_t offset);

  plan::VariantOp variant;
  PlanSymbols &symbols;
  mlir::OpBuilder opBuilder;
  llvm::DenseMap<mlir::Value, mlir::Value> addresses;
  mlir::Value status;
  llvm::DenseMap<mlir::StringAttr, mlir::Value> sizeWords;
};

} // namespace minic

#endif // MINIC_PASSES_SUPPORT_PLANWRITER_H
