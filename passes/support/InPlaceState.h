// SPDX-License-Identifier: Apache-2.0
//
// InPlaceState: the tensors of a function that are one state in the caller's
// memory, and in which order they may be read and overwritten.

#ifndef MINIC_PASSES_SUPPORT_INPLACESTATE_H
#define MINIC_PASSES_SUPPORT_INPLACESTATE_H

#include "dialects/plan/Commands.h"
#include "passes/support/PlanWriter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace minic {

/// Found once, from the fusions with updates in place behind the results that
/// are marked `graph.in_place`.
class InPlaceState {
public:
  explicit InPlaceState(mlir::func::FuncOp func);

  /// Whether fusions write result number `index` into the caller's state.
  bool isUpdated(unsigned index) const { return updated.contains(index); }
  /// Gives each update the address of the output that it is a state of.
  void place(plan::PlanBuilder &plan,
             llvm::function_ref<void(mlir::Value, mlir::Value)> setAddress);

  /// The ops of the function's body in an order that respects their operands,
  /// in which whatever reads a state comes before the op that overwrites it,
  /// unless it waits for that op.
  llvm::SmallVector<mlir::Operation *> order();
  /// What `op` overwrites although ops behind it in the order, or the
  /// function's results, read it: to be copied before `op`.
  llvm::ArrayRef<mlir::Value> savedBefore(mlir::Operation *op) const;

  /// Gives `call` copies of the states that it reads: no library is bound to
  /// one, because a captured graph may stage what libraries use.
  void keepFrom(plan::CallOp call, plan::PlanBuilder &plan) const;

private:
  mlir::RankedTensorType stateOf(plan::ResolvedAddress address) const;
  bool isRead(mlir::Value state, mlir::Operation *writer,
              const llvm::DenseSet<mlir::Operation *> &done) const;

  mlir::func::FuncOp func;
  /// Result numbers, with the number of the argument.
  llvm::SmallDenseMap<unsigned, unsigned> updated;
  /// What each fusion overwrites, and its results with their numbers.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 1>>
      overwritten, saved;
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> updates;
};

} // namespace minic

#endif // MINIC_PASSES_SUPPORT_INPLACESTATE_H
