// SPDX-License-Identifier: Apache-2.0
//
// The two kernels of a group norm.

#ifndef MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_EMITGROUPNORM_H
#define MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_EMITGROUPNORM_H

#include "compiler/target/cuda/group_norm/GroupNormGeometry.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cuda {

/// Adds the kernels `names` to `device`. Their parameters are pointers to
/// `operandCount` operands, to the results, then to the workspace.
///
/// The first lets later launches begin only when all earlier ones are done. So
/// the second may read the fusion's operands, which they wrote, before it waits
/// for the first.
void emitGroupNorm(mlir::Location loc, mlir::ModuleOp device,
                   mlir::ArrayAttr names, const GroupNormFusion &norm,
                   const GroupNormGeometry &geometry, int64_t operandCount);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_EMITGROUPNORM_H
