// SPDX-License-Identifier: Apache-2.0
//
// OpRecord: all that the reference knows of one op, in one table.

#ifndef MINIC_COMPILER_REFERENCE_OPRECORD_H
#define MINIC_COMPILER_REFERENCE_OPRECORD_H

#include "compiler/reference/Contraction.h"

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

// The records, each beside its op's meaning.
OpRecord gatherRecord();
OpRecord concatRecord();
OpRecord sliceRecord();
OpRecord padRecord();
OpRecord broadcastRecord();
OpRecord iotaRecord();
OpRecord cacheUpdateRecord();
OpRecord argReduceRecord();
OpRecord topKRecord();
OpRecord cumsumRecord();
OpRecord logSoftmaxRecord();
OpRecord layerNormRecord();
OpRecord rmsNormRecord();
OpRecord groupNormRecord();
OpRecord rotaryRecord();
OpRecord attentionRecord();

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_OPRECORD_H
