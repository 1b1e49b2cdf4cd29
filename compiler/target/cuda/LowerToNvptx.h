// SPDX-License-Identifier: Apache-2.0
//
// The lowering of a CUDA device module to the LLVM and NVVM dialects.

#ifndef MINIC_COMPILER_TARGET_CUDA_LOWERTONVPTX_H
#define MINIC_COMPILER_TARGET_CUDA_LOWERTONVPTX_H

#include "compiler/target/DeviceProfile.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cuda {

/// Lowers `device`, whose llvm.funcs hold scf, cf, arith, math, vector, llvm
/// and nvvm ops on scalars, vectors of rank 1 and !llvm.ptr.
///
/// Transcendental functions become polynomials and the approximations of the
/// hardware that are as accurate: nothing of libdevice is called. Emits a
/// diagnostic where an op has no lowering.
mlir::LogicalResult lowerToNvptx(mlir::ModuleOp device,
                                 const DeviceProfile &profile);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_LOWERTONVPTX_H
