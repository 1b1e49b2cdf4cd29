// SPDX-License-Identifier: Apache-2.0
//
// GraphMode: whether variants on a GPU replay a captured graph, where nothing
// was measured of it.

#ifndef MINIC_COMPILER_DRIVER_GRAPHMODE_H
#define MINIC_COMPILER_DRIVER_GRAPHMODE_H

#include "compiler/options/CompileOptions.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// Sets `graph` of the GPU variants in `plan` that have none: replayed with
/// --cuda-graphs=on; with auto only if a run has several commands, because
/// replay saves their launches. Measured verdicts stay as they are.
void setGraphMode(mlir::ModuleOp plan, const CompileOptions &options);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_GRAPHMODE_H
