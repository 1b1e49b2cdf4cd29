// SPDX-License-Identifier: Apache-2.0
//
// LinearForms: the forms of a model that merge other linears of one input than
// the rule of graph-merge-linears does. Measured beside each other, one is
// chosen.

#ifndef MINIC_COMPILER_DRIVER_LINEARFORMS_H
#define MINIC_COMPILER_DRIVER_LINEARFORMS_H

#include "compiler/options/CompileOptions.h"
#include "compiler/pipeline/Pipelines.h"
#include "compiler/pipeline/ResolveTarget.h"

#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace minic {

/// After fuse, without choices.
struct LinearForm {
  std::string name; ///< for people: "all merged" or "none merged"
  mlir::OwningOpRef<mlir::ModuleOp> fused;
};

/// Whether a measurement may choose between forms: something is measured or
/// replayed, and the options leave it open.
bool asksForLinearForms(const CompileOptions &options,
                        llvm::ArrayRef<VariantTarget> targets);

/// Those of the module `imported` that differ from `fused`, the form by the
/// rule. `inputs`: those of simplify. Fails as its passes do.
mlir::FailureOr<std::vector<LinearForm>>
otherLinearForms(mlir::ModuleOp imported, mlir::ModuleOp fused,
                 const PipelineInputs &inputs);

/// Equal for equal forms: large constants count by their names and types.
std::string textOfForm(mlir::ModuleOp form);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_LINEARFORMS_H
