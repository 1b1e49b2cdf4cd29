// SPDX-License-Identifier: Apache-2.0
//
// A whole packed GEMM kernel: the loops around the register tile.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_EMITGEMM_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_EMITGEMM_H

#include "compiler/target/cpu/RunShare.h"
#include "compiler/target/cpu/gemm_packed/GemmGeometry.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace minic::cpu {

/// Adds the entry `name` to `device`: computes panels (or tiles) [begin, end)
/// of geometry.grid(), all batches in one range. Where the launch has a grid of
/// `launchGrid` instead, the pieces are shared evenly among those. With `rows`,
/// for a geometry of one batch, tiles behind the rows of a run are left out.
void emitGemm(mlir::Location loc, mlir::ModuleOp device, llvm::StringRef name,
              const kernel::FusionShape &shape, const GemmGeometry &geometry,
              std::optional<int64_t> launchGrid = std::nullopt,
              const std::optional<BoundedRows> &rows = std::nullopt);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_EMITGEMM_H
