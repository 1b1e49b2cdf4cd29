// SPDX-License-Identifier: Apache-2.0
//
// A mark is the metadata of a fused location of one.

#include "compiler/explain/Marks.h"

#include "mlir/IR/Builders.h"

#include <set>

using namespace mlir;

namespace minic {

static StringRef nameOf(Mark mark) {
  return mark == Mark::Captured ? "minic.captured" : "minic.fusion";
}

void addMark(Operation *op, Mark mark, int64_t number) {
  Builder b(op->getContext());
  auto metadata = b.getDictionaryAttr(
      b.getNamedAttr(nameOf(mark), b.getI64IntegerAttr(number)));
  op->setLoc(FusedLoc::get({op->getLoc()}, metadata, op->getContext()));
}

static void collect(Location location, Mark mark, std::set<int64_t> &numbers) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    if (auto data = dyn_cast_or_null<DictionaryAttr>(fused.getMetadata())) {
      if (auto number = data.getAs<IntegerAttr>(nameOf(mark))) {
        numbers.insert(number.getInt());
      }
    }
    for (Location each : fused.getLocations()) {
      collect(each, mark, numbers);
    }
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    collect(name.getChildLoc(), mark, numbers);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collect(call.getCallee(), mark, numbers);
  }
}

std::vector<int64_t> marksIn(Location location, Mark mark) {
  std::set<int64_t> numbers;
  collect(location, mark, numbers);
  return {numbers.begin(), numbers.end()};
}

} // namespace minic
