// SPDX-License-Identifier: Apache-2.0
//
// The schedule as an attribute and as text.

#include "compiler/target/cuda/group_norm/GroupNormSchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace minic::cuda {

std::string toString(const GroupNormSchedule &schedule) {
  return "group_norm " + std::to_string(schedule.pixels) + "x" +
         std::to_string(schedule.unroll) +
         " blocks=" + std::to_string(schedule.blocks) +
         (schedule.programmatic ? " pdl" : "");
}

DictionaryAttr toAttribute(const GroupNormSchedule &schedule,
                           MLIRContext *context) {
  Builder b(context);
  auto number = [&](StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  };
  return b.getDictionaryAttr(
      {number("blocks", schedule.blocks), number("pdl", schedule.programmatic),
       number("pixels", schedule.pixels), number("unroll", schedule.unroll)});
}

FailureOr<GroupNormSchedule> parseGroupNormSchedule(DictionaryAttr attr,
                                                    Location loc) {
  bool isKnown = attr && attr.size() == 4;
  auto read = [&](StringRef name, int64_t least, int64_t most) {
    auto value = attr ? attr.getAs<IntegerAttr>(name) : IntegerAttr();
    isKnown =
        isKnown && value && value.getInt() >= least && value.getInt() <= most;
    return isKnown ? value.getInt() : least;
  };
  GroupNormSchedule schedule;
  schedule.blocks = read("blocks", 1, 4096);
  schedule.programmatic = read("pdl", 0, 1) != 0;
  schedule.pixels = read("pixels", 1, 1024);
  schedule.unroll = read("unroll", 1, 16);
  if (!isKnown) {
    return emitError(loc, "group_norm expects a schedule {blocks, pdl, pixels, "
                          "unroll}, got ")
           << attr;
  }
  return schedule;
}

} // namespace minic::cuda
