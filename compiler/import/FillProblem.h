// SPDX-License-Identifier: Apache-2.0
//
// FillProblem: a problem of the tuner as a model: what was constant in the
// model that it comes from is constant again.

#ifndef MINIC_COMPILER_IMPORT_FILLPROBLEM_H
#define MINIC_COMPILER_IMPORT_FILLPROBLEM_H

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// Replaces each argument that `kernel.role` calls a constant by a
/// graph.constant of random values, the same on every machine: so the problem
/// has the candidates, and the key, that it had as part of its model. Failure
/// has emitted a diagnostic.
mlir::LogicalResult fillProblem(mlir::ModuleOp module);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_FILLPROBLEM_H
