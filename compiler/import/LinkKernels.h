// SPDX-License-Identifier: Apache-2.0
//
// LinkKernels: users' kernels get their sources and what they stand for.

#ifndef MINIC_COMPILER_IMPORT_LINKKERNELS_H
#define MINIC_COMPILER_IMPORT_LINKKERNELS_H

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// Gives each graph.kernel of `module` the body of the function that its
/// `reference` names, and the text of its `files`, which are found from the
/// folder of the model at `path`. What is missing or does not fit is a
/// diagnostic.
mlir::LogicalResult linkKernels(mlir::ModuleOp module, llvm::StringRef path);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_LINKKERNELS_H
