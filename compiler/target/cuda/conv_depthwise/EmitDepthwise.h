// SPDX-License-Identifier: Apache-2.0
//
// A whole kernel of conv_depthwise.

#ifndef MINIC_COMPILER_TARGET_CUDA_CONV_DEPTHWISE_EMITDEPTHWISE_H
#define MINIC_COMPILER_TARGET_CUDA_CONV_DEPTHWISE_EMITDEPTHWISE_H

#include "compiler/target/cuda/conv_depthwise/DepthwiseGeometry.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cuda {

/// Adds the kernel `name` of a fusion with `operands` operands to `device`.
void emitDepthwise(mlir::Location loc, mlir::ModuleOp device,
                   llvm::StringRef name, const kernel::FusionShape &shape,
                   const DepthwiseGeometry &geometry, int64_t operands);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CONV_DEPTHWISE_EMITDEPTHWISE_H
