// SPDX-License-Identifier: Apache-2.0
//
// The table of ops.

#include "compiler/reference/OpRecord.h"

#include "dialects/graph/Graph.h"

#include "llvm/ADT/StringMap.h"

namespace minic::reference {

template <typename Op>
static void add(llvm::StringMap<OpRecord> &table, OpRecord record) {
  table[Op::getOperationName()] = record;
}

static llvm::StringMap<OpRecord> makeTable() {
  llvm::StringMap<OpRecord> table;
  add<graph::GatherOp>(table, gatherRecord());
  add<graph::ConcatOp>(table, concatRecord());
  add<graph::SliceOp>(table, sliceRecord());
  add<graph::PadOp>(table, padRecord());
  add<graph::BroadcastOp>(table, broadcastRecord());
  add<graph::IotaOp>(table, iotaRecord());
  add<graph::CacheUpdateOp>(table, cacheUpdateRecord());
  add<graph::ArgReduceOp>(table, argReduceRecord());
  add<graph::TopKOp>(table, topKRecord());
  add<graph::CumsumOp>(table, cumsumRecord());
  add<graph::LogSoftmaxOp>(table, logSoftmaxRecord());
  add<graph::LayerNormOp>(table, layerNormRecord());
  add<graph::RmsNormOp>(table, rmsNormRecord());
  add<graph::GroupNormOp>(table, groupNormRecord());
  add<graph::RotaryOp>(table, rotaryRecord());
  add<graph::AttentionOp>(table, attentionRecord());
  return table;
}

const OpRecord *findRecord(mlir::Operation *op) {
  static const llvm::StringMap<OpRecord> table = makeTable();
  auto it = table.find(op->getName().getStringRef());
  return it == table.end() ? nullptr : &it->second;
}

} // namespace minic::reference
