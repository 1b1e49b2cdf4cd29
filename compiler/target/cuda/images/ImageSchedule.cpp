// SPDX-License-Identifier: Apache-2.0
//
// The schedule as an attribute and as text.

#include "compiler/target/cuda/images/ImageSchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

std::string toString(const ImageSchedule &schedule) {
  return "images " + std::to_string(schedule.channels) +
         "x1 threads=" + std::to_string(schedule.threads) +
         (schedule.programmatic ? " pdl" : "");
}

DictionaryAttr toAttribute(const ImageSchedule &schedule,
                           MLIRContext *context) {
  Builder b(context);
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr("channels", b.getI64IntegerAttr(schedule.channels)),
      b.getNamedAttr("threads", b.getI64IntegerAttr(schedule.threads))};
  if (schedule.programmatic) {
    entries.push_back(b.getNamedAttr("pdl", b.getI64IntegerAttr(1)));
  }
  return b.getDictionaryAttr(entries);
}

FailureOr<ImageSchedule> parseImageSchedule(DictionaryAttr attr, Location loc) {
  auto number = [&](StringRef name) -> int64_t {
    auto value = attr ? attr.getAs<IntegerAttr>(name) : IntegerAttr();
    return value ? value.getInt() : 0;
  };
  ImageSchedule schedule{number("channels"), number("threads"),
                         number("pdl") == 1};
  auto isPower = [](int64_t value, int64_t least, int64_t most) {
    return value >= least && value <= most &&
           llvm::isPowerOf2_64(uint64_t(value));
  };
  if (!attr || attr.size() != (schedule.programmatic ? 3 : 2) ||
      !isPower(schedule.channels, 1, 8) ||
      !isPower(schedule.threads, 32, 1024)) {
    return emitError(loc, "images expects a schedule {channels, threads} of "
                          "powers of two, 1 to 8 channels and 32 to 1024 "
                          "threads, and pdl = 1 or none, got ")
           << attr;
  }
  return schedule;
}

} // namespace minic::cuda
