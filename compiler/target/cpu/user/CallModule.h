// SPDX-License-Identifier: Apache-2.0
//
// CallModule: the entry of a kernel whose code came as LLVM IR.

#ifndef MINIC_COMPILER_TARGET_CPU_USER_CALLMODULE_H
#define MINIC_COMPILER_TARGET_CPU_USER_CALLMODULE_H

#include "compiler/target/cpu/user/UserModule.h"
#include "dialects/plan/Plan.h"

namespace minic::cpu {

/// What the function of a UserModule is called with before its tiles.
struct ModuleArguments {
  llvm::SmallVector<unsigned> pointers; // by their numbers in the launch
  llvm::SmallVector<int64_t> scalars;
};

/// Adds to `device` the entry of `planned`, which calls `module`, and the
/// module. The entry comes back.
mlir::Operation *callModule(plan::KernelOp planned, mlir::ModuleOp device,
                            const UserModule &module,
                            const ModuleArguments &arguments);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_USER_CALLMODULE_H
