// SPDX-License-Identifier: Apache-2.0
//
// The lowering of a CPU device module to the LLVM dialect.

#ifndef MINIC_COMPILER_TARGET_CPU_LOWERTOLLVM_H
#define MINIC_COMPILER_TARGET_CPU_LOWERTOLLVM_H

#include "compiler/target/DeviceProfile.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cpu {

/// Lowers `device`, whose llvm.funcs hold scf, cf, arith, math, vector and llvm
/// ops on scalars, vectors of rank 1 and !llvm.ptr, to the LLVM dialect alone.
///
/// Transcendental functions become polynomials: nothing of libm is called.
/// 16-bit floats are converted by arithmetic where `profile` lacks the
/// instruction. Emits a diagnostic where an op has no lowering.
mlir::LogicalResult lowerToLlvm(mlir::ModuleOp device,
                                const DeviceProfile &profile);

/// The part of it that rewrites functions of math that are no instructions.
mlir::LogicalResult approximateMath(mlir::ModuleOp device);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_LOWERTOLLVM_H
