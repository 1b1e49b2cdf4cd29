// SPDX-License-Identifier: Apache-2.0
//
// The schedule as an attribute and as text.

#include "compiler/target/cuda/conv_depthwise/DepthwiseSchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

std::string toString(const DepthwiseSchedule &schedule) {
  return "conv_depthwise " + std::to_string(schedule.channels) + "x" +
         std::to_string(schedule.pixels) +
         " threads=" + std::to_string(schedule.threads) +
         (schedule.programmatic ? " pdl" : "");
}

DictionaryAttr toAttribute(const DepthwiseSchedule &schedule,
                           MLIRContext *context) {
  Builder b(context);
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr("channels", b.getI64IntegerAttr(schedule.channels)),
      b.getNamedAttr("pixels", b.getI64IntegerAttr(schedule.pixels)),
      b.getNamedAttr("threads", b.getI64IntegerAttr(schedule.threads))};
  if (schedule.programmatic) {
    entries.push_back(b.getNamedAttr("pdl", b.getI64IntegerAttr(1)));
  }
  return b.getDictionaryAttr(entries);
}

FailureOr<DepthwiseSchedule> parseDepthwiseSchedule(DictionaryAttr attr,
                                                    Location loc) {
  DepthwiseSchedule schedule;
  auto pdl = attr ? attr.getAs<IntegerAttr>("pdl") : IntegerAttr();
  schedule.programmatic = pdl && pdl.getInt() == 1;
  bool isKnown = attr && attr.size() == (schedule.programmatic ? 4 : 3);
  auto read = [&](StringRef name, int64_t least, int64_t most, int64_t &field) {
    auto value = attr ? attr.getAs<IntegerAttr>(name) : IntegerAttr();
    isKnown = isKnown && value && value.getInt() >= least &&
              value.getInt() <= most &&
              llvm::isPowerOf2_64(uint64_t(value.getInt()));
    field = isKnown ? value.getInt() : least;
  };
  read("channels", 1, 8, schedule.channels);
  read("pixels", 1, 8, schedule.pixels);
  read("threads", 32, 1024, schedule.threads);
  if (!isKnown) {
    return emitError(loc, "conv_depthwise expects a schedule {channels, "
                          "pixels, threads} of powers of two, 1 to 8 of the "
                          "first and 32 to 1024 threads, and pdl = 1 or none, "
                          "got ")
           << attr;
  }
  return schedule;
}

} // namespace minic::cuda
