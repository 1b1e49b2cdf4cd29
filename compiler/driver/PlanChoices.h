// SPDX-License-Identifier: Apache-2.0
//
// PlanChoices: plans of one model as modules whose fusions carry choices:
// compared, taken over from one another, built to be timed.

#ifndef MINIC_COMPILER_DRIVER_PLANCHOICES_H
#define MINIC_COMPILER_DRIVER_PLANCHOICES_H

#include "compiler/options/CompileOptions.h"
#include "compiler/pipeline/ResolveTarget.h"
#include "dialects/kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "absl/status/status.h"

#include <string>

namespace minic {

/// The fusions of a function, in order.
llvm::SmallVector<kernel::FusionOp> fusionsOf(mlir::func::FuncOp function);

/// Whether both plans decide the same.
bool haveSameChoices(llvm::ArrayRef<kernel::FusionOp> mine,
                     llvm::ArrayRef<kernel::FusionOp> theirs);

/// "4.65 us: NAME, 6.0% faster than OTHER", of a choice that was measured;
/// empty for others.
std::string describeMeasured(mlir::DictionaryAttr provenance);

/// Gives the fusions of `mine` the choices of `theirs`, and `why` these ship;
/// what they had measured stays as the choice that lost. Choices that both have
/// keep their evidence, and a fusion the key of its problem.
void takeChoices(llvm::ArrayRef<kernel::FusionOp> mine,
                 llvm::ArrayRef<kernel::FusionOp> theirs, llvm::StringRef why);

/// What `plan` decides, without how it came to it.
mlir::OwningOpRef<mlir::ModuleOp> withoutProvenance(mlir::ModuleOp plan);

/// `plan` with no other function than `name`.
mlir::OwningOpRef<mlir::ModuleOp> onlyFunction(mlir::ModuleOp plan,
                                               llvm::StringRef name);

/// Changes `plan`, then builds its artifact to be timed: without the bytes of
/// large weights. What went wrong is the status, not a diagnostic.
absl::Status buildTrial(mlir::ModuleOp plan, const VariantTarget &variant,
                        const CompileOptions &options, const std::string &path);

/// Builds the artifact of a plan that was not realized yet, without changing
/// it. Emits diagnostics.
mlir::LogicalResult buildPlan(mlir::ModuleOp plan, const VariantTarget &variant,
                              const CompileOptions &options,
                              const std::string &path);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_PLANCHOICES_H
