// SPDX-License-Identifier: Apache-2.0
//
// OpRecord: all that the reference knows of one op, in one table.

#ifndef MINIC_COMPILER_REFERENCE_OPRECORD_H
#define MINIC_COMPILER_REFERENCE_OPRECORD_H

#include "compiler/reference/Contraction.h"

#include "llvm/ADT/StringMap.h"

namespace minic::reference {

/// The rows of operand number i that are needed, to be added to.
using RowsOfOperand = llvm::function_ref<llvm::BitVector &(unsigned)>;

struct OpRecord {
  /// Fills the rows of `result`, which is the op's result number `number`:
  /// values, errors (carried and added) and spreads.
  void (*evaluate)(mlir::Operation *op, unsigned number, Lookup operand,
                   RowTensor &result);
  /// Adds the rows of operands that `rows` of result `number` depend on. Null:
  /// all rows of all operands.
  void (*demand)(mlir::Operation *op, unsigned number,
                 const llvm::BitVector &rows, RowsOfOperand rowsOf) = nullptr;
  /// Elements read for each element of the result. Null: one.
  double (*cost)(mlir::Operation *op) = nullptr;
};

/// Null where the table has no record of `op`.
const OpRecord *findRecord(mlir::Operation *op);

/// The table of ops, by name.
using OpRecords = llvm::StringMap<OpRecord>;

template <typename Op> void addRecord(OpRecords &records, OpRecord record) {
  records[Op::getOperationName()] = record;
}

// What the files of meanings add, each its own ops.
void addMoves(OpRecords &records);
void addOrder(OpRecords &records);
void addNorms(OpRecords &records);
void addLogSoftmax(OpRecords &records);
void addRotary(OpRecords &records);
void addAttention(OpRecords &records);
void addImages(OpRecords &records);
void addConvTranspose(OpRecords &records);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_OPRECORD_H
