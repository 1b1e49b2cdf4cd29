// SPDX-License-Identifier: Apache-2.0
//
// Follows updates in place from a result to an argument.

#include "dialects/kernel/InPlace.h"

using namespace mlir;

namespace minic::kernel {

std::optional<unsigned> getUpdatedInput(FusionOp fusion, unsigned result) {
  Value value = graph::skipReshapes(fusion.getYield().getValues()[result]);
  bool isUpdated = false;
  while (graph::updatesInPlace(value.getDefiningOp())) {
    value = graph::skipReshapes(
        cast<graph::CacheUpdateOp>(value.getDefiningOp()).getCache());
    isUpdated = true;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  return isUpdated && argument ? std::optional(argument.getArgNumber())
                               : std::nullopt;
}

graph::CacheUpdateOp getOnlyUpdate(FusionOp fusion) {
  ValueRange results = fusion.getYield().getValues();
  Operation *op = results.size() == 1 ? results[0].getDefiningOp() : nullptr;
  return graph::updatesInPlace(op) ? cast<graph::CacheUpdateOp>(op)
                                   : graph::CacheUpdateOp();
}

} // namespace minic::kernel
