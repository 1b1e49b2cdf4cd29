// SPDX-License-Identifier: Apache-2.0
//
// The table of ops.

#include "compiler/reference/OpRecord.h"

#include "mlir/IR/Operation.h"

namespace minic::reference {

static OpRecords makeTable() {
  OpRecords table;
  for (auto *add : {addMoves, addOrder, addNorms, addLogSoftmax, addRotary,
                    addAttention, addImages, addConvTranspose}) {
    add(table);
  }
  return table;
}

const OpRecord *findRecord(mlir::Operation *op) {
  static const OpRecords table = makeTable();
  auto it = table.find(op->getName().getStringRef());
  return it == table.end() ? nullptr : &it->second;
}

} // namespace minic::reference
