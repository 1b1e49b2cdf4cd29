// SPDX-License-Identifier: Apache-2.0
//
// BindDims: dimensions that a model in the graph dialect names get sizes.

#ifndef MINIC_COMPILER_IMPORT_BINDDIMS_H
#define MINIC_COMPILER_IMPORT_BINDDIMS_H

#include "dialects/graph/Dims.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// Gives arguments and ops with graph.dims static types by `sizes`, and infers
/// the other types. Ops lose the attribute, arguments keep it. A name without a
/// size, a size without a name, an attribute that does not fit its type are
/// diagnostics.
mlir::LogicalResult bindDims(mlir::ModuleOp module,
                             const graph::DimSizes &sizes);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_BINDDIMS_H
