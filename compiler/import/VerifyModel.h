// SPDX-License-Identifier: Apache-2.0
//
// VerifyModel: what makes a module a model, whoever made it.

#ifndef MINIC_COMPILER_IMPORT_VERIFYMODEL_H
#define MINIC_COMPILER_IMPORT_VERIFYMODEL_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace minic {

/// Erases the functions that are not asked for: all but `names`, or the private
/// ones where that is empty. A name without a function is a diagnostic.
mlir::LogicalResult keepFunctions(mlir::ModuleOp module,
                                  llvm::ArrayRef<std::string> names);

/// Checks each function: one block of graph ops, ranked tensors of dtypes that
/// minic has, something that is returned, constants whose bytes fit their
/// types. graph-check-supported asks for sizes once they are inferred. Failure
/// has emitted a diagnostic at the place in the model.
mlir::LogicalResult verifyModel(mlir::ModuleOp module);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_VERIFYMODEL_H
