// SPDX-License-Identifier: Apache-2.0
//
// The kernel of a pool: one thread for a pixel in some channels.

#ifndef MINIC_COMPILER_TARGET_CUDA_IMAGES_EMITPOOL_H
#define MINIC_COMPILER_TARGET_CUDA_IMAGES_EMITPOOL_H

#include "compiler/target/cuda/images/PoolGeometry.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cuda {

/// Adds the kernel `name` to `device`. Its parameters are pointers to
/// `operandCount` operands, then to the results.
void emitPool(mlir::Location loc, mlir::ModuleOp device, llvm::StringRef name,
              const ImageFusion &image, const PoolGeometry &geometry,
              int64_t operandCount);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_IMAGES_EMITPOOL_H
