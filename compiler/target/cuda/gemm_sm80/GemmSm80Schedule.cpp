// SPDX-License-Identifier: Apache-2.0
//
// The schedule as an attribute and as text.

#include "compiler/target/cuda/gemm_sm80/GemmSm80Schedule.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace minic::cuda {

static constexpr GemmMath allMath[] = {GemmMath::Mma, GemmMath::Tf32,
                                       GemmMath::Tf32x3, GemmMath::Ffma};

StringRef toString(GemmMath math) {
  switch (math) {
  case GemmMath::Mma:
    return "mma";
  case GemmMath::Tf32:
    return "tf32";
  case GemmMath::Tf32x3:
    return "tf32x3";
  case GemmMath::Ffma:
    return "ffma";
  }
  return "";
}

using S = GemmSm80Schedule;
static const ScheduleField<S> fields[] = {
    {{"bm", 16, 256, ScheduleForm::MultipleOf16}, &S::bm},
    {{"bn", 16, 256, ScheduleForm::MultipleOf16}, &S::bn},
    {{"bk", 8, 256, ScheduleForm::PowerOfTwo}, &S::bk},
    {{"warps_m", 1, 8, ScheduleForm::PowerOfTwo}, &S::warpsM},
    {{"warps_n", 1, 8, ScheduleForm::PowerOfTwo}, &S::warpsN},
    {{"warps_k", 1, 8, ScheduleForm::PowerOfTwo}, &S::warpsK},
    {{"stages", 2, 16}, &S::stages},
    {{"split", 1, 256}, &S::splitK},
    {{"group", 1, 1 << 16}, &S::group},
};

DictionaryAttr toAttribute(const GemmSm80Schedule &schedule,
                           MLIRContext *context) {
  Builder b(context);
  NamedAttribute math =
      b.getNamedAttr("math", b.getStringAttr(toString(schedule.math)));
  return toAttribute<S>(schedule, fields, math, context);
}

static LogicalResult readMath(NamedAttribute entry,
                              const ScheduleReader &reader, GemmMath &result) {
  auto value = dyn_cast<StringAttr>(entry.getValue());
  for (GemmMath math : allMath) {
    if (value && value == toString(math)) {
      result = math;
      return success();
    }
  }
  return emitError(reader.loc, reader.family)
         << " schedule expects math to be \"mma\", \"tf32\", \"tf32x3\" or "
            "\"ffma\", got "
         << entry.getValue();
}

static FailureOr<GemmSm80Schedule> parse(DictionaryAttr attribute, Location loc,
                                         bool convolves) {
  ScheduleReader reader{convolves ? "conv_sm80" : "gemm_sm80", loc};
  auto more = [&](NamedAttribute entry, GemmSm80Schedule &schedule) {
    return entry.getName() == "math" ? readMath(entry, reader, schedule.math)
                                     : reader.readFlag(entry, schedule);
  };
  return parseSchedule<S>(reader, fields, more, attribute, convolves);
}

FailureOr<GemmSm80Schedule> parseGemmSm80Schedule(DictionaryAttr attribute,
                                                  Location loc) {
  return parse(attribute, loc, /*convolves=*/false);
}

FailureOr<GemmSm80Schedule> parseConvSm80Schedule(DictionaryAttr attribute,
                                                  Location loc) {
  return parse(attribute, loc, /*convolves=*/true);
}

std::string toString(const GemmSm80Schedule &schedule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << familyText(schedule, "sm80") << ' ' << tileText(schedule)
     << " warps=" << schedule.warpsM << 'x' << schedule.warpsN;
  if (schedule.warpsK > 1) {
    os << 'x' << schedule.warpsK;
  }
  os << stagesText(schedule) << " math=" << toString(schedule.math)
     << launchText(schedule);
  return text;
}

} // namespace minic::cuda
