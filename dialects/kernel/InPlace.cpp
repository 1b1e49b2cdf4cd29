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

SmallVector<graph::CacheUpdateOp> getUpdates(FusionOp fusion) {
  SmallVector<graph::CacheUpdateOp> updates;
  for (Value result : fusion.getYield().getValues()) {
    if (!graph::updatesInPlace(result.getDefiningOp())) {
      return {};
    }
    updates.push_back(result.getDefiningOp<graph::CacheUpdateOp>());
  }
  return updates;
}

} // namespace minic::kernel
