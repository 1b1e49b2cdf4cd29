// SPDX-License-Identifier: Apache-2.0
//
// The kernel of a pool or resize: one thread for a pixel in some channels.

#ifndef MINIC_COMPILER_TARGET_CUDA_IMAGES_EMITIMAGES_H
#define MINIC_COMPILER_TARGET_CUDA_IMAGES_EMITIMAGES_H

#include "compiler/target/cuda/images/ImageGeometry.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cuda {

/// Adds the kernel `name` to `device`. Its parameters are pointers to
/// `operandCount` operands, then to the results.
void emitImages(mlir::Location loc, mlir::ModuleOp device, llvm::StringRef name,
                const ImageFusion &image, const ImageGeometry &geometry,
                int64_t operandCount);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_IMAGES_EMITIMAGES_H
