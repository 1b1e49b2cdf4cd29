// SPDX-License-Identifier: Apache-2.0
//
// PadDims: dimensions of which runs may have sizes between the listed ones.

#ifndef MINIC_COMPILER_IMPORT_PADDIMS_H
#define MINIC_COMPILER_IMPORT_PADDIMS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace minic {

/// Marks functions of buckets (`pads` of graph.bucket) for runs that are padded
/// along `dims` to the next larger size. A diagnostic where a name varies in no
/// function, and where rows of one are not proved independent
/// (dialects/graph/IndependentRows.h).
mlir::LogicalResult padDims(mlir::ModuleOp module,
                            const std::vector<std::string> &dims);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_PADDIMS_H
