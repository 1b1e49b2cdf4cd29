// SPDX-License-Identifier: Apache-2.0
//
// DumpKernels: generated kernels as files, for people who debug them.

#ifndef MINIC_COMPILER_DUMPKERNELS_H
#define MINIC_COMPILER_DUMPKERNELS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace minic {

/// Writes each plan.kernel of `plan` (before codegen) to FOLDER/NAME.mlir.
mlir::LogicalResult dumpKernels(mlir::ModuleOp plan, const std::string &folder);

/// Writes each plan.binary of `plan` (after codegen) to FOLDER/NAME-ARCH.so
/// (.cubin, .ptx). Both make the folder; failure is a diagnostic.
mlir::LogicalResult dumpBinaries(mlir::ModuleOp plan,
                                 const std::string &folder);

} // namespace minic

#endif // MINIC_COMPILER_DUMPKERNELS_H
