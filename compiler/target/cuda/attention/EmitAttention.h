// SPDX-License-Identifier: Apache-2.0
//
// The code of an attention kernel.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_EMITATTENTION_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_EMITATTENTION_H

#include "compiler/target/codegen/RunBound.h"
#include "compiler/target/cuda/attention/AttentionGeometry.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cuda {

/// Adds the kernel `name` to `device`. Its parameters are `pointers` operands
/// and results, then workspace and counters where keys are split, then with a
/// `bound` the size of a run: blocks behind its batch end at once. With
/// `copiesEarly` no launch of a run writes the geometry's earlyOperands(), and
/// whatever did before the run is done.
void emitAttention(mlir::Location loc, mlir::ModuleOp device,
                   llvm::StringRef name, const AttentionGeometry &geometry,
                   int64_t pointers,
                   const std::optional<RunBound> &bound = std::nullopt,
                   bool copiesEarly = false);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_EMITATTENTION_H
