// SPDX-License-Identifier: Apache-2.0
//
// RowMemory: where a row's columns lie in operands, results and the thread's
// own memory.

#ifndef MINIC_COMPILER_TARGET_CPU_ROWS_ROWMEMORY_H
#define MINIC_COMPILER_TARGET_CPU_ROWS_ROWMEMORY_H

#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/rows/RowWalks.h"

namespace minic::cpu {

/// Bytes that hold what `walks` keep of a row: of a thread, as a rule.
int64_t scratchBytes(const RowFusion &rows, const RowWalks &walks);

/// A vector of neighbours in the innermost loop of columns. The first `filled`
/// lanes are columns.
struct Columns {
  mlir::Value first; // in the innermost loop
  int64_t filled;
};

class RowMemory {
public:
  /// `operands` is how many addresses come before the results'.
  RowMemory(KernelBuilder &k, const RowFusion &rows, const RowWalks &walks,
            int64_t lanes, const KernelEntry &entry, int64_t operands);

  /// Keeps values in `memory`, which has `scratchBytes`, not in the thread's
  /// own.
  void keepIn(mlir::Value memory) { scratch = memory; }

  /// Must come first, then `enterLine`; each holds for what is built at the
  /// builder's place and inside.
  void enterRow(mlir::Value row);
  /// `line`: which run of the innermost loop of columns.
  void enterLine(mlir::Value line);

  /// A read that is the same in all columns, in compute type.
  mlir::Value loadPerRow(size_t read);
  /// In compute type; lanes that are no columns have any value.
  mlir::Value load(size_t read, const Columns &columns);
  void storePerRow(size_t result, mlir::Value value);
  void store(size_t result, const Columns &columns, mlir::Value value);

  /// Of a node that is kept.
  mlir::Value reload(size_t node, const Columns &columns);
  void keep(size_t node, const Columns &columns, mlir::Value value);

  /// The number of the first column in its row.
  mlir::Value numberOf(const Columns &columns);
  /// A vector of i1; null if all lanes are columns.
  mlir::Value mask(const Columns &columns);

private:
  /// `pointer` advanced along `extents` to point number `index` of them.
  mlir::Value locate(mlir::Value pointer, mlir::Type storage,
                     llvm::ArrayRef<mlir::Value> indices,
                     llvm::ArrayRef<int64_t> strides);
  llvm::SmallVector<mlir::Value> indicesOf(mlir::Value point,
                                           llvm::ArrayRef<int64_t> extents);
  mlir::Value keptAt(size_t node, const Columns &columns);

  KernelBuilder &k;
  const RowFusion &rows;
  const RowWalks &walks;
  const int64_t lanes;
  mlir::Value scratch, line;
  llvm::SmallVector<mlir::Value> reads, results;         // of the tensor
  llvm::SmallVector<mlir::Value> rowReads, rowResults;   // of the row
  llvm::SmallVector<mlir::Value> lineReads, lineResults; // of the line
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ROWS_ROWMEMORY_H
