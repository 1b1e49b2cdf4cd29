// SPDX-License-Identifier: Apache-2.0
//
// Schedules as attributes and as text: what families' schedules share.

#include "compiler/target/cuda/gemm/GemmSchedule.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

std::string familyText(const GemmSchedule &schedule, StringRef arch) {
  return (schedule.convolves ? "conv_" : "gemm_") + arch.str();
}

std::string tileText(const GemmSchedule &schedule) {
  return llvm::join_items("x", std::to_string(schedule.bm),
                          std::to_string(schedule.bn),
                          std::to_string(schedule.bk));
}

std::string stagesText(const GemmSchedule &schedule) {
  std::string text = " stages=" + std::to_string(schedule.stages);
  if (schedule.splitK > 1) {
    text += (schedule.clustered ? " cluster=" : " split=") +
            std::to_string(schedule.splitK);
  }
  return text + " group=" + std::to_string(schedule.group);
}

std::string launchText(const GemmSchedule &schedule) {
  return std::string(schedule.padLhs ? " lhs=padded" : "") +
         (schedule.programmatic ? " pdl=on" : "");
}

static bool admits(const ScheduleRange &range, int64_t value) {
  if (value < range.low || value > range.high) {
    return false;
  }
  switch (range.form) {
  case ScheduleForm::Any:
    return true;
  case ScheduleForm::MultipleOf16:
    return value % 16 == 0;
  case ScheduleForm::MultipleOf64:
    return value % 64 == 0;
  case ScheduleForm::PowerOfTwo:
    return llvm::isPowerOf2_64(value);
  }
  return false;
}

static StringRef formText(ScheduleForm form) {
  switch (form) {
  case ScheduleForm::Any:
    return "";
  case ScheduleForm::MultipleOf16:
    return " and a multiple of 16";
  case ScheduleForm::MultipleOf64:
    return " and a multiple of 64";
  case ScheduleForm::PowerOfTwo:
    return " and a power of two";
  }
  return "";
}

LogicalResult ScheduleReader::readInteger(NamedAttribute entry,
                                          const ScheduleRange &range,
                                          int64_t &result) const {
  auto value = dyn_cast<IntegerAttr>(entry.getValue());
  if (!value || !value.getType().isSignlessInteger(64) ||
      !admits(range, value.getInt())) {
    return emitError(loc, family)
           << " schedule expects " << range.key << " in [" << range.low << ", "
           << range.high << "]" << formText(range.form) << ", got "
           << entry.getValue();
  }
  result = value.getInt();
  return success();
}

LogicalResult ScheduleReader::readFlag(NamedAttribute entry,
                                       GemmSchedule &schedule) const {
  auto read = [&](StringRef whenTrue, StringRef whenFalse,
                  bool &result) -> LogicalResult {
    auto value = dyn_cast<StringAttr>(entry.getValue());
    if (!value || (value != whenTrue && value != whenFalse)) {
      return emitError(loc, family)
             << " schedule expects " << entry.getName().getValue()
             << " to be \"" << whenTrue << "\" or \"" << whenFalse << "\", got "
             << entry.getValue();
    }
    result = value == whenTrue;
    return success();
  };
  if (entry.getName() == "lhs") {
    return read("padded", "dense", schedule.padLhs);
  }
  if (entry.getName() == "pdl") {
    return read("on", "off", schedule.programmatic);
  }
  if (entry.getName() == "cluster") {
    return read("on", "off", schedule.clustered);
  }
  return emitError(loc, family)
         << " schedule has no '" << entry.getName().getValue() << "'";
}

} // namespace minic::cuda
