// SPDX-License-Identifier: Apache-2.0
//
// ArgumentValues: which integers make sense in the arguments of a model, said
// on them before any phase splits the ops that say so.

#ifndef MINIC_COMPILER_IMPORT_ARGUMENTVALUES_H
#define MINIC_COMPILER_IMPORT_ARGUMENTVALUES_H

#include "runtime/base/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace minic {

/// Sets `kernel.values` on arguments of integers whose values the ops of the
/// function's body tell (see dialects/kernel/OperandValues.h). One that the
/// model gives itself stays; failure with a diagnostic where it is none or the
/// argument's dtype cannot hold it.
mlir::LogicalResult setArgumentValues(mlir::func::FuncOp function);

/// What `kernel.values` of argument number `index` says.
std::optional<runtime::OperandValues>
getArgumentValues(mlir::func::FuncOp function, unsigned index);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ARGUMENTVALUES_H
