// SPDX-License-Identifier: Apache-2.0
//
// The schedule as an attribute and as text.

#include "compiler/target/cuda/gemm_sm80/GemmSm80Schedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"
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

namespace {

enum class Form { Any, MultipleOf16, PowerOfTwo };

/// An integer of the schedule: its key and what it may be.
struct Field {
  StringRef key;
  int64_t GemmSm80Schedule::*member;
  int64_t low, high;
  Form form = Form::Any;

  bool admits(int64_t value) const {
    return value >= low && value <= high &&
           (form != Form::PowerOfTwo || llvm::isPowerOf2_64(value)) &&
           (form != Form::MultipleOf16 || value % 16 == 0);
  }
};

const Field fields[] = {
    {"bm", &GemmSm80Schedule::bm, 16, 256, Form::MultipleOf16},
    {"bn", &GemmSm80Schedule::bn, 16, 256, Form::MultipleOf16},
    {"bk", &GemmSm80Schedule::bk, 8, 256, Form::PowerOfTwo},
    {"warps_m", &GemmSm80Schedule::warpsM, 1, 8, Form::PowerOfTwo},
    {"warps_n", &GemmSm80Schedule::warpsN, 1, 8, Form::PowerOfTwo},
    {"warps_k", &GemmSm80Schedule::warpsK, 1, 8, Form::PowerOfTwo},
    {"stages", &GemmSm80Schedule::stages, 2, 16},
    {"split", &GemmSm80Schedule::splitK, 1, 256},
    {"group", &GemmSm80Schedule::group, 1, 1 << 16},
};

} // namespace

DictionaryAttr toAttribute(const GemmSm80Schedule &schedule,
                           MLIRContext *context) {
  Builder b(context);
  SmallVector<NamedAttribute> entries;
  for (const Field &field : fields) {
    entries.push_back(
        b.getNamedAttr(field.key, b.getI64IntegerAttr(schedule.*field.member)));
  }
  entries.push_back(
      b.getNamedAttr("math", b.getStringAttr(toString(schedule.math))));
  entries.push_back(b.getNamedAttr(
      "lhs", b.getStringAttr(schedule.padLhs ? "padded" : "dense")));
  entries.push_back(b.getNamedAttr(
      "pdl", b.getStringAttr(schedule.programmatic ? "on" : "off")));
  return b.getDictionaryAttr(entries);
}

static LogicalResult readInteger(NamedAttribute entry, const Field &field,
                                 Location loc, int64_t &result) {
  auto value = dyn_cast<IntegerAttr>(entry.getValue());
  if (!value || !value.getType().isSignlessInteger(64) ||
      !field.admits(value.getInt())) {
    auto diagnostic = emitError(loc, "gemm_sm80 schedule expects ")
                      << field.key << " in [" << field.low << ", " << field.high
                      << "]";
    if (field.form == Form::PowerOfTwo) {
      diagnostic << " and a power of two";
    } else if (field.form == Form::MultipleOf16) {
      diagnostic << " and a multiple of 16";
    }
    return diagnostic << ", got " << entry.getValue();
  }
  result = value.getInt();
  return success();
}

static LogicalResult readEither(NamedAttribute entry, StringRef whenTrue,
                                StringRef whenFalse, Location loc,
                                bool &result) {
  auto value = dyn_cast<StringAttr>(entry.getValue());
  if (!value || (value != whenTrue && value != whenFalse)) {
    return emitError(loc, "gemm_sm80 schedule expects ")
           << entry.getName().getValue() << " to be \"" << whenTrue
           << "\" or \"" << whenFalse << "\", got " << entry.getValue();
  }
  result = value == whenTrue;
  return success();
}

static LogicalResult readMath(NamedAttribute entry, Location loc,
                              GemmMath &result) {
  auto value = dyn_cast<StringAttr>(entry.getValue());
  for (GemmMath math : allMath) {
    if (value && value == toString(math)) {
      result = math;
      return success();
    }
  }
  return emitError(loc, "gemm_sm80 schedule expects math to be \"mma\", "
                        "\"tf32\", \"tf32x3\" or \"ffma\", got ")
         << entry.getValue();
}

FailureOr<GemmSm80Schedule> parseGemmSm80Schedule(DictionaryAttr attribute,
                                                  Location loc) {
  GemmSm80Schedule schedule;
  for (NamedAttribute entry : attribute) {
    StringRef key = entry.getName().getValue();
    LogicalResult result = success();
    const Field *field =
        llvm::find_if(fields, [&](const Field &f) { return f.key == key; });
    if (field != std::end(fields)) {
      result = readInteger(entry, *field, loc, schedule.*field->member);
    } else if (key == "math") {
      result = readMath(entry, loc, schedule.math);
    } else if (key == "lhs") {
      result = readEither(entry, "padded", "dense", loc, schedule.padLhs);
    } else if (key == "pdl") {
      result = readEither(entry, "on", "off", loc, schedule.programmatic);
    } else {
      result = emitError(loc, "gemm_sm80 schedule has no '") << key << "'";
    }
    if (failed(result)) {
      return failure();
    }
  }
  return schedule;
}

std::string toString(const GemmSm80Schedule &schedule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "gemm_sm80 " << schedule.bm << 'x' << schedule.bn << 'x' << schedule.bk
     << " warps=" << schedule.warpsM << 'x' << schedule.warpsN;
  if (schedule.warpsK > 1) {
    os << 'x' << schedule.warpsK;
  }
  os << " stages=" << schedule.stages;
  if (schedule.splitK > 1) {
    os << " split=" << schedule.splitK;
  }
  os << " group=" << schedule.group << " math=" << toString(schedule.math);
  if (schedule.padLhs) {
    os << " lhs=padded";
  }
  if (schedule.programmatic) {
    os << " pdl=on";
  }
  return text;
}

} // namespace minic::cuda
