// SPDX-License-Identifier: Apache-2.0
//
// The schedule as an attribute and as text.

#include "compiler/target/cpu/gemm_amx/GemmAmxSchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic::cpu {

static StringRef splitOf(const GemmAmxSchedule &schedule) {
  return schedule.alone ? "none" : schedule.splitN ? "n" : "m";
}

DictionaryAttr toAttribute(const GemmAmxSchedule &schedule,
                           MLIRContext *context) {
  Builder b(context);
  auto integer = [&](StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  };
  auto word = [&](StringRef name, StringRef value) {
    return b.getNamedAttr(name, b.getStringAttr(value));
  };
  return b.getDictionaryAttr({
      word("a", schedule.packLhs ? "pack" : "none"),
      integer("mc", schedule.mc),
      integer("res", schedule.resident),
      integer("per", schedule.rowsPerStep),
      word("pf", schedule.prefetch ? "l2" : "none"),
      word("split", splitOf(schedule)),
  });
}

namespace {

/// Reads entries of the dictionary, with the diagnostics.
struct Reader {
  Location loc;

  LogicalResult integer(NamedAttribute entry, int64_t low, int64_t high,
                        int64_t &result) {
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (!value || !value.getType().isSignlessInteger() ||
        value.getInt() < low || value.getInt() > high) {
      return emitError(loc, "gemm_amx schedule expects ")
             << entry.getName().getValue() << " in [" << low << ", " << high
             << "], got " << entry.getValue();
    }
    result = value.getInt();
    return success();
  }

  /// Which of `words` the entry is.
  FailureOr<size_t> oneOf(NamedAttribute entry, ArrayRef<StringRef> words) {
    auto value = dyn_cast<StringAttr>(entry.getValue());
    auto found = value ? llvm::find(words, value.getValue()) : words.end();
    if (found == words.end()) {
      return emitError(loc, "gemm_amx schedule expects ")
             << entry.getName().getValue() << " to be one of "
             << llvm::join(words, ", ") << ", got " << entry.getValue();
    }
    return size_t(found - words.begin());
  }

  LogicalResult either(NamedAttribute entry, StringRef whenTrue,
                       StringRef whenFalse, bool &result) {
    FailureOr<size_t> which = oneOf(entry, {whenTrue, whenFalse});
    if (failed(which)) {
      return failure();
    }
    result = *which == 0;
    return success();
  }

  LogicalResult split(NamedAttribute entry, GemmAmxSchedule &schedule) {
    FailureOr<size_t> which = oneOf(entry, {"n", "m", "none"});
    if (failed(which)) {
      return failure();
    }
    schedule.splitN = *which != 1;
    schedule.alone = *which == 2;
    return success();
  }
};

} // namespace

FailureOr<GemmAmxSchedule> parseGemmAmxSchedule(DictionaryAttr attribute,
                                                Location loc) {
  GemmAmxSchedule schedule;
  Reader read{loc};
  for (NamedAttribute entry : attribute) {
    StringRef key = entry.getName().getValue();
    LogicalResult result = success();
    if (key == "a") {
      result = read.either(entry, "pack", "none", schedule.packLhs);
    } else if (key == "mc") {
      result = read.integer(entry, 0, int64_t(1) << 32, schedule.mc);
    } else if (key == "res") {
      result = read.integer(entry, 0, 64, schedule.resident);
    } else if (key == "per") {
      result = read.integer(entry, 1, 32, schedule.rowsPerStep);
    } else if (key == "pf") {
      result = read.either(entry, "l2", "none", schedule.prefetch);
    } else if (key == "split") {
      result = read.split(entry, schedule);
    } else {
      result = emitError(loc, "gemm_amx schedule has no '") << key << "'";
    }
    if (failed(result)) {
      return failure();
    }
  }
  return schedule;
}

std::string toString(const GemmAmxSchedule &schedule) {
  return llvm::formatv("gemm_amx 32x32 a={0} mc={1} res={2} per={3} pf={4} "
                       "split={5}",
                       schedule.packLhs ? "pack" : "none",
                       schedule.mc == 0 ? "all" : std::to_string(schedule.mc),
                       schedule.resident, schedule.rowsPerStep,
                       schedule.prefetch ? "l2" : "none", splitOf(schedule))
      .str();
}

} // namespace minic::cpu
