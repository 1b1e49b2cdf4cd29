// SPDX-License-Identifier: Apache-2.0
//
// Parsing of {tile = N}.

#include "compiler/target/cpu/TileSchedule.h"

using namespace mlir;

namespace minic::cpu {

FailureOr<int64_t> parseTile(kernel::FusionOp fusion, int64_t least) {
  DictionaryAttr schedule = fusion.getImplAttr().getSchedule();
  auto tile = schedule ? schedule.getAs<IntegerAttr>("tile") : IntegerAttr();
  if (!tile || schedule.size() != 1 || tile.getInt() < least) {
    return fusion.emitError(fusion.getImplAttr().getFamily())
           << " expects a schedule {tile = N} with N of at least " << least
           << ", got " << schedule;
  }
  return tile.getInt();
}

} // namespace minic::cpu
