// SPDX-License-Identifier: Apache-2.0
//
// RowWalks: what is computed each time that a kernel walks the columns of a
// row.

#ifndef MINIC_COMPILER_TARGET_CPU_ROWS_ROWWALKS_H
#define MINIC_COMPILER_TARGET_CPU_ROWS_ROWWALKS_H

#include "compiler/target/codegen/RowFusion.h"

namespace minic::cpu {

/// Nodes and results are numbers in a RowFusion.
struct RowWalk {
  /// Those with a value per column, operands before users.
  llvm::SmallVector<size_t> computed;
  /// Those read back as an earlier walk kept them.
  llvm::SmallVector<size_t> reloaded;
  /// Reductions that end here.
  llvm::SmallVector<size_t> reductions;
  /// Results with an element per column.
  llvm::SmallVector<size_t> results;
};

struct RowWalks {
  std::vector<RowWalk> walks;
  /// Nodes that the first walk to compute them writes to memory of the thread,
  /// in f32: what a later walk needs, and costs more to compute again.
  llvm::SmallVector<size_t> kept;

  bool isKept(size_t node) const { return llvm::is_contained(kept, node); }

  /// `keeps`: whether anything may be kept.
  static RowWalks get(const RowFusion &rows, bool keeps);
  /// Roughly the instructions of all walks for one vector of columns.
  int64_t instructionCount(const RowFusion &rows) const;
};

/// True where the result has one element for a row.
bool isPerRow(const RowFusion &rows, const RowFusion::Result &result);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ROWS_ROWWALKS_H
