// SPDX-License-Identifier: Apache-2.0
//
// RunBound: how a kernel learns how many rows a padded run has.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_RUNBOUND_H
#define MINIC_COMPILER_TARGET_CODEGEN_RUNBOUND_H

#include "compiler/target/codegen/KernelBuilder.h"
#include "dialects/kernel/RunRows.h"

#include <optional>

namespace minic {

/// What a kernel that stops behind a run's rows needs to know.
struct RunBound {
  mlir::StringAttr dim;
  int64_t size = 0; // rows when nothing is padded

  /// For a kernel of `fusion` that sees each result as `pieces` equal pieces of
  /// memory, one behind the other: none where the run needs all of them, where
  /// rows begin inside of pieces, and beyond 2^31 of them.
  static std::optional<RunBound> get(kernel::FusionOp fusion, int64_t pieces);

  /// How many of `pieces`, the first ones, the run needs: an i32. `word` is the
  /// pointer to the run's size.
  mlir::Value emitCount(KernelBuilder &k, mlir::Value word,
                        int64_t pieces) const;
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_RUNBOUND_H
