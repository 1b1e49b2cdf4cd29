// SPDX-License-Identifier: Apache-2.0
//
// ResolveKernels: which kernels of the user's can be used, before anything is
// simplified.

#ifndef MINIC_COMPILER_PIPELINE_RESOLVEKERNELS_H
#define MINIC_COMPILER_PIPELINE_RESOLVEKERNELS_H

#include "compiler/options/CompileOptions.h"
#include "compiler/target/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// Puts the reference body of each graph.kernel of `module`, whose shapes are
/// static, in its place where none of `targets` can run it or the options allow
/// no kernels of the user's. A kernel for these targets that is not used has a
/// warning with the reason; if it is forced, that is an error.
mlir::LogicalResult resolveKernels(mlir::ModuleOp module,
                                   llvm::ArrayRef<const Target *> targets,
                                   const CompileOptions &options);

/// Whether the options force `op` to be used.
bool isForced(mlir::Operation *op, const CompileOptions &options);

} // namespace minic

#endif // MINIC_COMPILER_PIPELINE_RESOLVEKERNELS_H
