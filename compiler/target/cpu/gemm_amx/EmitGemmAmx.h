// SPDX-License-Identifier: Apache-2.0
//
// A whole GEMM kernel of AMX tiles: the loops around the block, and the form
// without AMX beside it.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_AMX_EMITGEMMAMX_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_AMX_EMITGEMMAMX_H

#include "compiler/target/cpu/RunShare.h"
#include "compiler/target/cpu/gemm_amx/GemmAmxGeometry.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cpu {

/// Adds two entries to `device`: `name` computes panels (or blocks of rows)
/// [begin, end) of geometry.grid(), all batches in one range;
/// withoutAmxName(name) does the same without AMX, on the same operands. With
/// `rows`, for a geometry of one batch, what is behind the rows of a run is
/// left out.
void emitGemmAmx(mlir::Location loc, mlir::ModuleOp device,
                 llvm::StringRef name, const kernel::FusionShape &shape,
                 const GemmAmxGeometry &geometry,
                 const std::optional<BoundedRows> &rows = std::nullopt);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_AMX_EMITGEMMAMX_H
