// SPDX-License-Identifier: Apache-2.0
//
// The epilogue of a register tile: from the sums of an anchor to the results.

#ifndef MINIC_COMPILER_TARGET_CPU_TILEEPILOGUE_H
#define MINIC_COMPILER_TARGET_CPU_TILEEPILOGUE_H

#include "compiler/target/cpu/KernelAbi.h"
#include "dialects/kernel/FusionShape.h"

namespace minic::cpu {

/// Where a fusion's epilogue reads and writes: pointers parallel to
/// shape.epilogueInputs and shape.results.
struct EpilogueOperands {
  llvm::SmallVector<mlir::Value> inputs, results;
  static EpilogueOperands
  load(KernelBuilder &k, const kernel::FusionShape &shape, mlir::Value args);
};

/// `height` rows of the epilogue's iteration space, `rowStep` apart from
/// `firstRow` on, and columns [column, column + vectors * lanes).
struct RegisterTile {
  int64_t height, vectors, lanes;
  mlir::Value firstRow;
  int64_t rowStep = 1;
  mlir::Value column;
  /// Columns from here on do not exist; null where all of the tile's do.
  mlir::Value columnEnd;

  mlir::Value maskAt(KernelBuilder &k, mlir::Value at) const {
    return columnEnd ? k.tailMask(k.sub(columnEnd, at), lanes) : mlir::Value();
  }
};

/// Computes and stores the fusion's results where `sums` (row by row, f32 or
/// i32) are its anchor's. `args` are the kernel's, `fusion` their order.
void emitTileEpilogue(KernelBuilder &k, const kernel::FusionShape &shape,
                      mlir::Value args, const RegisterTile &tile,
                      llvm::ArrayRef<mlir::Value> sums);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_TILEEPILOGUE_H
