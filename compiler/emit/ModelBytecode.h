// SPDX-License-Identifier: Apache-2.0
//
// ModelBytecode: the graph that an artifact carries, so that a run of it can be
// checked against the reference.

#ifndef MINIC_COMPILER_EMIT_MODELBYTECODE_H
#define MINIC_COMPILER_EMIT_MODELBYTECODE_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace minic {

/// `graph` as MLIR bytecode, without locations (they name the paths of the
/// machine that compiled) and without the values of named constants (they are
/// in the weights file). Equal graphs give equal bytes.
mlir::FailureOr<std::string> writeModelBytecode(mlir::ModuleOp graph);

} // namespace minic

#endif // MINIC_COMPILER_EMIT_MODELBYTECODE_H
