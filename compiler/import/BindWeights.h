// SPDX-License-Identifier: Apache-2.0
//
// BindWeights: named constants get their bytes from a weights file.

#ifndef MINIC_COMPILER_IMPORT_BINDWEIGHTS_H
#define MINIC_COMPILER_IMPORT_BINDWEIGHTS_H

#include "compiler/import/WeightSource.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// True where a constant of `module` has a name and no value.
bool needsWeights(mlir::ModuleOp module);

/// Gives every named constant without a value the entry of its name, as a
/// resource that points into the mapping and keeps `file` alive. Constants of
/// one name and dtype share one resource. A missing entry, another shape or
/// another dtype is a diagnostic at the constant; but floats that are wider are
/// rounded where the module says so (CastWeights.h). The number of those.
mlir::FailureOr<size_t>
bindWeights(mlir::ModuleOp module,
            const std::shared_ptr<const WeightSource> &file);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_BINDWEIGHTS_H
