// SPDX-License-Identifier: Apache-2.0
//
// A whole packed GEMM kernel: the loops around the register tile.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_EMITGEMM_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_EMITGEMM_H

#include "compiler/target/codegen/RunBound.h"
#include "compiler/target/cpu/gemm_packed/GemmGeometry.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace minic::cpu {

/// Rows behind those of a run are left out: how many there are says a word at
/// the address number `parameter` of the entry.
struct BoundedRows {
  RunBound bound;
  int64_t parameter;
};

/// Adds the entry `name` to `device`: computes panels (or tiles) [begin, end)
/// of geometry.grid(), all batches in one range. Where the launch has a grid of
/// `launchGrid` instead, the pieces are shared evenly among those.
void emitGemm(mlir::Location loc, mlir::ModuleOp device, llvm::StringRef name,
              const kernel::FusionShape &shape, const GemmGeometry &geometry,
              std::optional<int64_t> launchGrid = std::nullopt,
              const std::optional<BoundedRows> &rows = std::nullopt);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_EMITGEMM_H
