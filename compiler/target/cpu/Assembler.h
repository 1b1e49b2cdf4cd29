// SPDX-License-Identifier: Apache-2.0
//
// From a CPU device module to the bytes of a shared object.

#ifndef MINIC_COMPILER_TARGET_CPU_ASSEMBLER_H
#define MINIC_COMPILER_TARGET_CPU_ASSEMBLER_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/KernelCode.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/IR/Module.h"

#include <string>

namespace minic::cpu {

/// Loads the dialects that device modules use into `context` and registers
/// their translations. Not to be called while passes run on `context` in
/// several threads, unless it was called before.
void prepareContext(mlir::MLIRContext &context);

/// Lowers `device` (consumed) and assembles it for `profile`: a position
/// independent shared object that exports the functions with external linkage,
/// imports nothing and needs no relocation. Emits a diagnostic on failure; one
/// that says "internal error" is a bug of minic's generators. Thread-safe on
/// different contexts; linking is serialized.
mlir::FailureOr<std::string> assemble(mlir::ModuleOp device,
                                      const DeviceProfile &profile);

/// The first symbol that code of `module` for `profile` would refer to without
/// defining it, such as expf; empty for none. `module` is not changed.
std::string findImport(const llvm::Module &module,
                       const DeviceProfile &profile);

/// The assembly text of `device` (consumed), for tests and dumps.
mlir::FailureOr<std::string> assembleToText(mlir::ModuleOp device,
                                            const DeviceProfile &profile);

/// The texts and counts of `device` (consumed), which holds one kernel.
mlir::LogicalResult describeCode(mlir::ModuleOp device,
                                 const DeviceProfile &profile,
                                 KernelCode &code);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ASSEMBLER_H
