// SPDX-License-Identifier: Apache-2.0
//
// The schedule as an attribute and as text.

#include "compiler/target/cuda/gemm_sm90/GemmSm90Schedule.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace minic::cuda {

using S = GemmSm90Schedule;
static const ScheduleField<S> fields[] = {
    {{"bm", 64, 256, ScheduleForm::MultipleOf64}, &S::bm},
    {{"bn", 16, 256, ScheduleForm::MultipleOf16}, &S::bn},
    {{"bk", 16, 64, ScheduleForm::PowerOfTwo}, &S::bk},
    {{"warpgroups_m", 1, 4}, &S::warpGroupsM},
    {{"warpgroups_n", 1, 4}, &S::warpGroupsN},
    {{"warpgroups_k", 1, 4, ScheduleForm::PowerOfTwo}, &S::warpGroupsK},
    {{"stages", 3, 16}, &S::stages},
    {{"split", 1, 256}, &S::splitK},
    {{"group", 1, 1 << 16}, &S::group},
};

static std::string multicastText(const GemmSm90Schedule &schedule) {
  return std::to_string(schedule.multicastM) + "x" +
         std::to_string(schedule.multicastN);
}

DictionaryAttr toAttribute(const GemmSm90Schedule &schedule,
                           MLIRContext *context) {
  Builder b(context);
  SmallVector<NamedAttribute> more;
  if (schedule.tma) {
    more.push_back(b.getNamedAttr("copies", b.getStringAttr("tma")));
  }
  if (schedule.multicast() > 1) {
    more.push_back(
        b.getNamedAttr("multicast", b.getStringAttr(multicastText(schedule))));
  }
  if (schedule.isPingPong()) {
    more.push_back(b.getNamedAttr(
        "pingpong", b.getI64IntegerAttr(schedule.pingPongBlocks)));
  }
  if (schedule.movesRegisters()) {
    more.push_back(b.getNamedAttr("registers",
                                  b.getI64IntegerAttr(schedule.teamRegisters)));
  }
  if (schedule.keepsRhs) {
    more.push_back(b.getNamedAttr("rhs", b.getStringAttr("kept")));
  }
  if (schedule.evictsResults) {
    more.push_back(b.getNamedAttr("results", b.getStringAttr("evict_first")));
  }
  return toAttribute<S>(schedule, fields, more, context);
}

/// Reads entries "copies", "multicast", "rhs" and "results"; null for any
/// other.
static std::optional<LogicalResult> readText(NamedAttribute entry,
                                             GemmSm90Schedule &schedule,
                                             const ScheduleReader &reader) {
  auto text = dyn_cast<StringAttr>(entry.getValue());
  auto fail = [&](const char *expected) -> LogicalResult {
    return emitError(reader.loc, reader.family)
           << " schedule expects " << entry.getName().getValue() << " to be "
           << expected << ", got " << entry.getValue();
  };
  if (entry.getName() == "copies") {
    if (!text || (text != "tma" && text != "cp.async")) {
      return fail("\"tma\" or \"cp.async\"");
    }
    schedule.tma = text == "tma";
    return success();
  }
  if (entry.getName() == "multicast") {
    if (!text || (text != "1x1" && text != "2x1" && text != "1x2")) {
      return fail("\"1x1\", \"2x1\" or \"1x2\"");
    }
    schedule.multicastM = text == "2x1" ? 2 : 1;
    schedule.multicastN = text == "1x2" ? 2 : 1;
    return success();
  }
  if (entry.getName() == "rhs") {
    if (!text || (text != "kept" && text != "staged")) {
      return fail("\"kept\" or \"staged\"");
    }
    schedule.keepsRhs = text == "kept";
    return success();
  }
  if (entry.getName() == "results") {
    if (!text || (text != "evict_first" && text != "evict_normal")) {
      return fail("\"evict_first\" or \"evict_normal\"");
    }
    schedule.evictsResults = text == "evict_first";
    return success();
  }
  return std::nullopt;
}

static FailureOr<GemmSm90Schedule> parse(DictionaryAttr attribute, Location loc,
                                         bool convolves) {
  ScheduleReader reader{convolves ? "conv_sm90" : "gemm_sm90", loc};
  auto more = [&](NamedAttribute entry, GemmSm90Schedule &schedule) {
    if (auto result = readText(entry, schedule, reader)) {
      return *result;
    }
    if (entry.getName() == "pingpong") {
      return reader.readInteger(entry, {"pingpong", 0, 1 << 16},
                                schedule.pingPongBlocks);
    }
    if (entry.getName() == "registers") {
      return reader.readInteger(entry, {"registers", 0, 240},
                                schedule.teamRegisters);
    }
    return reader.readFlag(entry, schedule);
  };
  return parseSchedule<S>(reader, fields, more, attribute, convolves);
}

FailureOr<GemmSm90Schedule> parseGemmSm90Schedule(DictionaryAttr attribute,
                                                  Location loc) {
  return parse(attribute, loc, /*convolves=*/false);
}

FailureOr<GemmSm90Schedule> parseConvSm90Schedule(DictionaryAttr attribute,
                                                  Location loc) {
  return parse(attribute, loc, /*convolves=*/true);
}

std::string toString(const GemmSm90Schedule &schedule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << familyText(schedule, "sm90") << ' ' << tileText(schedule)
     << " warpgroups=" << schedule.warpGroupsM << 'x' << schedule.warpGroupsN;
  if (schedule.warpGroupsK > 1) {
    os << 'x' << schedule.warpGroupsK;
  }
  os << stagesText(schedule) << (schedule.tma ? " copies=tma" : "");
  if (schedule.multicast() > 1) {
    os << " multicast=" << multicastText(schedule);
  }
  if (schedule.isPingPong()) {
    os << " pingpong=" << schedule.pingPongBlocks;
  }
  os << (schedule.keepsRhs ? " rhs=kept" : "");
  if (schedule.movesRegisters()) {
    os << " registers=" << schedule.teamRegisters;
  }
  os << (schedule.evictsResults ? " results=evict_first" : "");
  os << launchText(schedule);
  return text;
}

} // namespace minic::cuda
