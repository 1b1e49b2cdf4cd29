// SPDX-License-Identifier: Apache-2.0
//
// The schedule as an attribute and as text.

#include "compiler/target/cpu/gemm_packed/GemmPackedSchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic::cpu {

static StringRef splitOf(const GemmPackedSchedule &schedule) {
  return schedule.alone ? "none" : schedule.splitN ? "n" : "m";
}

static constexpr StringLiteral dotNames[] = {"fma", "pairs", "quads"};

static StringRef nameOf(GemmDot dot) { return dotNames[size_t(dot)]; }

DictionaryAttr toAttribute(const GemmPackedSchedule &schedule,
                           MLIRContext *context) {
  Builder b(context);
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr("mr", b.getI64IntegerAttr(schedule.mr)),
      b.getNamedAttr("nr", b.getI64IntegerAttr(schedule.nr)),
      b.getNamedAttr("ku", b.getI64IntegerAttr(schedule.ku)),
      b.getNamedAttr("a", b.getStringAttr(schedule.packLhs ? "trans" : "none")),
      b.getNamedAttr("tc", b.getI64IntegerAttr(schedule.tc)),
      b.getNamedAttr("order",
                     b.getStringAttr(schedule.panelsOutside ? "jt" : "tj")),
      b.getNamedAttr("split", b.getStringAttr(splitOf(schedule))),
      b.getNamedAttr("dot", b.getStringAttr(nameOf(schedule.dot))),
  };
  // Records and artifacts of before have no such entry.
  if (schedule.prefetch) {
    entries.push_back(b.getNamedAttr("pf", b.getStringAttr("l2")));
  }
  return b.getDictionaryAttr(entries);
}

namespace {

/// Reads entries of the dictionary, with the diagnostics.
struct Reader {
  Location loc;

  LogicalResult integer(NamedAttribute entry, int64_t low, int64_t high,
                        int64_t multiple, int64_t &result) {
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (!value || !value.getType().isSignlessInteger() ||
        value.getInt() < low || value.getInt() > high ||
        value.getInt() % multiple != 0) {
      auto diagnostic = emitError(loc, "gemm_packed schedule expects ")
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

  LogicalResult either(NamedAttribute entry, StringRef whenTrue,
                       StringRef whenFalse, bool &result) {
    auto value = dyn_cast<StringAttr>(entry.getValue());
    if (!value || (value != whenTrue && value != whenFalse)) {
      return emitError(loc, "gemm_packed schedule expects ")
             << entry.getName().getValue() << " to be \"" << whenTrue
             << "\" or \"" << whenFalse << "\", got " << entry.getValue();
    }
    result = value == whenTrue;
    return success();
  }

  LogicalResult split(NamedAttribute entry, GemmPackedSchedule &schedule) {
    auto value = dyn_cast<StringAttr>(entry.getValue());
    if (!value || (value != "n" && value != "m" && value != "none")) {
      return emitError(loc, "gemm_packed schedule expects split to be \"n\", "
                            "\"m\" or \"none\", got ")
             << entry.getValue();
    }
    schedule.alone = value == "none";
    schedule.splitN = value != "m";
    return success();
  }

  LogicalResult dot(NamedAttribute entry, GemmDot &dot) {
    auto value = dyn_cast<StringAttr>(entry.getValue());
    const auto *found =
        value ? llvm::find(dotNames, value.getValue()) : std::end(dotNames);
    if (found == std::end(dotNames)) {
      return emitError(loc, "gemm_packed schedule expects dot to be \"fma\", "
                            "\"pairs\" or \"quads\", got ")
             << entry.getValue();
    }
    dot = GemmDot(found - std::begin(dotNames));
    return success();
  }
};

} // namespace

FailureOr<GemmPackedSchedule> parseGemmPackedSchedule(DictionaryAttr attribute,
                                                      Location loc) {
  GemmPackedSchedule schedule;
  Reader read{loc};
  for (NamedAttribute entry : attribute) {
    StringRef key = entry.getName().getValue();
    LogicalResult result = success();
    if (key == "mr") {
      result = read.integer(entry, 1, 16, 1, schedule.mr);
    } else if (key == "nr") {
      result = read.integer(entry, 16, 256, 16, schedule.nr);
    } else if (key == "ku") {
      result = read.integer(entry, 1, 16, 1, schedule.ku);
    } else if (key == "a") {
      result = read.either(entry, "trans", "none", schedule.packLhs);
    } else if (key == "tc") {
      result = read.integer(entry, 0, int64_t(1) << 32, 1, schedule.tc);
    } else if (key == "order") {
      result = read.either(entry, "jt", "tj", schedule.panelsOutside);
    } else if (key == "split") {
      result = read.split(entry, schedule);
    } else if (key == "dot") {
      result = read.dot(entry, schedule.dot);
    } else if (key == "pf") {
      result = read.either(entry, "l2", "none", schedule.prefetch);
    } else {
      result = emitError(loc, "gemm_packed schedule has no '") << key << "'";
    }
    if (failed(result)) {
      return failure();
    }
  }
  return schedule;
}

std::string toString(const GemmPackedSchedule &schedule) {
  return llvm::formatv("gemm_packed {0}x{1} ku={2} a={3} tc={4} order={5} "
                       "split={6} dot={7}{8}",
                       schedule.mr, schedule.nr, schedule.ku,
                       schedule.packLhs ? "trans" : "none",
                       schedule.tc == 0 ? "all" : std::to_string(schedule.tc),
                       schedule.panelsOutside ? "jt" : "tj", splitOf(schedule),
                       nameOf(schedule.dot), schedule.prefetch ? " pf=l2" : "")
      .str();
}

} // namespace minic::cpu
