// SPDX-License-Identifier: Apache-2.0
//
// The schedule as an attribute and as text.

#include "compiler/target/cpu/conv_direct/ConvDirectSchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic::cpu {

DictionaryAttr toAttribute(const ConvDirectSchedule &schedule,
                           MLIRContext *context) {
  Builder b(context);
  SmallVector<NamedAttribute> fields = {
      b.getNamedAttr("mr", b.getI64IntegerAttr(schedule.mr)),
      b.getNamedAttr("nr", b.getI64IntegerAttr(schedule.nr)),
      b.getNamedAttr("lines", b.getI64IntegerAttr(schedule.lines)),
      b.getNamedAttr("x", b.getStringAttr(schedule.pack ? "pack" : "none")),
  };
  if (schedule.prefetch) {
    fields.push_back(b.getNamedAttr("pf", b.getStringAttr("l2")));
  }
  if (schedule.splitN) {
    fields.push_back(b.getNamedAttr("split", b.getStringAttr("n")));
  }
  return b.getDictionaryAttr(fields);
}

static LogicalResult parseInteger(Location loc, NamedAttribute entry,
                                  int64_t low, int64_t high, int64_t multiple,
                                  int64_t &result) {
  auto value = dyn_cast<IntegerAttr>(entry.getValue());
  if (!value || !value.getType().isSignlessInteger() || value.getInt() < low ||
      value.getInt() > high || value.getInt() % multiple != 0) {
    auto diagnostic = emitError(loc, "conv_direct schedule expects ")
                      << entry.getName().getValue() << " in [" << low << ", "
                      << high << "]";
    if (multiple != 1) {
      diagnostic << " and a multiple of " << multiple;
    }
    return diagnostic << ", got " << entry.getValue();
  }
  result = value.getInt();
  return success();
}

/// Either `yes` or `no`.
static LogicalResult parseEither(Location loc, NamedAttribute entry,
                                 StringRef yes, StringRef no, bool &result) {
  auto value = dyn_cast<StringAttr>(entry.getValue());
  if (!value || (value != yes && value != no)) {
    return emitError(loc, "conv_direct schedule expects ")
           << entry.getName().getValue() << " to be \"" << yes << "\" or \""
           << no << "\", got " << entry.getValue();
  }
  result = value == yes;
  return success();
}

FailureOr<ConvDirectSchedule> parseConvDirectSchedule(DictionaryAttr attribute,
                                                      Location loc) {
  ConvDirectSchedule schedule;
  for (NamedAttribute entry : attribute) {
    StringRef key = entry.getName().getValue();
    LogicalResult result = success();
    if (key == "mr") {
      result = parseInteger(loc, entry, 1, 16, 1, schedule.mr);
    } else if (key == "nr") {
      result = parseInteger(loc, entry, 16, 256, 16, schedule.nr);
    } else if (key == "lines") {
      result = parseInteger(loc, entry, 1, 1024, 1, schedule.lines);
    } else if (key == "x") {
      result = parseEither(loc, entry, "pack", "none", schedule.pack);
    } else if (key == "pf") {
      result = parseEither(loc, entry, "l2", "none", schedule.prefetch);
    } else if (key == "split") {
      result = parseEither(loc, entry, "n", "lines", schedule.splitN);
    } else {
      result = emitError(loc, "conv_direct schedule has no '") << key << "'";
    }
    if (failed(result)) {
      return failure();
    }
  }
  return schedule;
}

std::string toString(const ConvDirectSchedule &schedule) {
  return llvm::formatv("conv_direct {0}x{1} lines={2} x={3}{4}{5}", schedule.mr,
                       schedule.nr, schedule.lines,
                       schedule.pack ? "pack" : "none",
                       schedule.prefetch ? " pf=l2" : "",
                       schedule.splitN ? " split=n" : "")
      .str();
}

} // namespace minic::cpu
