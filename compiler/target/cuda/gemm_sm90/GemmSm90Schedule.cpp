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

DictionaryAttr toAttribute(const GemmSm90Schedule &schedule,
                           MLIRContext *context) {
  return toAttribute<S>(schedule, fields, {}, context);
}

FailureOr<GemmSm90Schedule> parseGemmSm90Schedule(DictionaryAttr attribute,
                                                  Location loc) {
  ScheduleReader reader{"gemm_sm90", loc};
  auto more = [&](NamedAttribute entry, GemmSm90Schedule &schedule) {
    return reader.readFlag(entry, schedule);
  };
  return parseSchedule<S>(reader, fields, more, attribute);
}

std::string toString(const GemmSm90Schedule &schedule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "gemm_sm90 " << tileText(schedule)
     << " warpgroups=" << schedule.warpGroupsM << 'x' << schedule.warpGroupsN;
  if (schedule.warpGroupsK > 1) {
    os << 'x' << schedule.warpGroupsK;
  }
  os << stagesText(schedule) << launchText(schedule);
  return text;
}

} // namespace minic::cuda
