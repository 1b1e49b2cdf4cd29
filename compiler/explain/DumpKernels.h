// SPDX-License-Identifier: Apache-2.0
//
// DumpKernels: generated kernels as files, for people who debug them.

#ifndef MINIC_COMPILER_EXPLAIN_DUMPKERNELS_H
#define MINIC_COMPILER_EXPLAIN_DUMPKERNELS_H

#include "compiler/target/KernelCode.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace minic {

/// Writes each plan.kernel of `plan` (before codegen) to FOLDER/NAME.mlir.
mlir::LogicalResult dumpKernels(mlir::ModuleOp plan, const std::string &folder);

/// Writes for each kernel what its family wrote, before it is lowered, to
/// FOLDER/ENTRY-ARCH.device.mlir, its LLVM IR to .ll, its assembly to .s or
/// .ptx, and its figures to .json, null for unknown ones.
mlir::LogicalResult dumpCode(mlir::ModuleOp plan,
                             llvm::ArrayRef<KernelCode> report,
                             const std::string &folder);

/// Adds to the report the shared memory that launches of `plan` ask for.
void addLaunchedMemory(mlir::ModuleOp plan, std::vector<KernelCode> &report);

/// One line: "gemm... (sm_90a): 4096 bytes of code, 256 instructions, ...".
std::string describe(const KernelCode &code);

/// Writes each plan.binary of `plan` (after codegen) to FOLDER/NAME-ARCH.so
/// (.cubin, .ptx). Both make the folder; failure is a diagnostic.
mlir::LogicalResult dumpBinaries(mlir::ModuleOp plan,
                                 const std::string &folder);

} // namespace minic

#endif // MINIC_COMPILER_EXPLAIN_DUMPKERNELS_H
