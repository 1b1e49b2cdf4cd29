// SPDX-License-Identifier: Apache-2.0
//
// RowPieces: what is known of the pieces of rows between the launches that
// share them.

#ifndef MINIC_COMPILER_TARGET_CPU_ROWS_ROWPIECES_H
#define MINIC_COMPILER_TARGET_CPU_ROWS_ROWPIECES_H

#include "compiler/target/cpu/rows/LaneReduction.h"
#include "compiler/target/cpu/rows/RowSchedule.h"

namespace minic::cpu {

/// Those of `schedule`. Pieces of several lines keep nothing: a vector at the
/// end of one would reach into the next.
RowWalks walksOf(const RowFusion &rows, const RowSchedule &schedule);

/// One for each walk where a row has several pieces, and one more that ends the
/// last reductions and writes results per row; otherwise one.
int64_t launches(const RowFusion &rows, const RowSchedule &schedule);
/// Bytes of the memory that those launches share: states, then from `keptAt` on
/// what they keep of each row. 0 where there are no pieces.
int64_t workspaceBytes(const RowFusion &rows, const RowSchedule &schedule);
int64_t keptAt(const RowFusion &rows, const RowSchedule &schedule);

class RowPieces {
public:
  /// `workspace` has workspaceBytes().
  RowPieces(KernelBuilder &k, const RowFusion &rows, int64_t pieces,
            mlir::Value workspace)
      : k(k), rows(rows), pieces(pieces), workspace(workspace) {}

  /// Keeps `state`, scalars, that the reduction `node` has of piece `piece` of
  /// `row` (i64).
  void store(size_t node, mlir::Value row, mlir::Value piece,
             const ReductionState &state);
  /// The state of the whole row, piece after piece.
  ReductionState merge(size_t node, mlir::Value row);

private:
  mlir::Value place(size_t node, size_t value, mlir::Value row,
                    mlir::Value piece);

  KernelBuilder &k;
  const RowFusion &rows;
  int64_t pieces;
  mlir::Value workspace;
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ROWS_ROWPIECES_H
