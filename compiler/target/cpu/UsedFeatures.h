// SPDX-License-Identifier: Apache-2.0
//
// UsedFeatures: which of a profile's CPU features kernels and plans need.

#ifndef MINIC_COMPILER_TARGET_CPU_USEDFEATURES_H
#define MINIC_COMPILER_TARGET_CPU_USEDFEATURES_H

#include "compiler/target/DeviceProfile.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cpu {

/// Marks each function of `device` (not yet lowered) with the features of
/// `profile` that its code may use: those of the ISA level, which LLVM uses as
/// it likes, and beyond them only what the function's ops ask for by
/// themselves or in a function it calls. Then leaves in the `isa` of the CPU
/// variants of `module` what their launches need: nothing if all commands are
/// library calls, which choose their instructions at run time.
void requireUsedFeatures(mlir::ModuleOp module, mlir::ModuleOp device,
                         const DeviceProfile &profile);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_USEDFEATURES_H
