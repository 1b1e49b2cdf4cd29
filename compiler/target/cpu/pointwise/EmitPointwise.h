// SPDX-License-Identifier: Apache-2.0
//
// The code of one pointwise kernel.

#ifndef MINIC_COMPILER_TARGET_CPU_POINTWISE_EMITPOINTWISE_H
#define MINIC_COMPILER_TARGET_CPU_POINTWISE_EMITPOINTWISE_H

#include "compiler/target/codegen/PointwiseLoops.h"
#include "compiler/target/codegen/RunBound.h"
#include "compiler/target/cpu/pointwise/PointwiseTiles.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cpu {

/// Adds the entry `name` to `device`: the nodes of `loops`, tile by tile.
/// `operands` is how many addresses come before the results';
/// `resultTypes` are the results' dtypes. Where `loops` gathers, the address of
/// the status word comes next. With a `bound` tiles behind the rows of a run
/// are left out; the address of its size comes last.
void emitPointwise(mlir::ModuleOp device, mlir::Location loc,
                   llvm::StringRef name, const PointwiseLoops &loops,
                   const PointwiseTiles &tiles, int64_t operands,
                   llvm::ArrayRef<mlir::Type> resultTypes,
                   const std::optional<RunBound> &bound = std::nullopt);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_POINTWISE_EMITPOINTWISE_H
