// SPDX-License-Identifier: Apache-2.0
//
// GemmSchedule: what can be chosen about every GEMM kernel that passes K in
// stages of shared memory, as attribute entries and as text.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMSCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMSCHEDULE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

#include <string>

namespace minic::cuda {

struct GemmSchedule {
  /// The tile of the result that a block computes, and how much of K it has in
  /// a stage of shared memory, in elements.
  int64_t bm = 128, bn = 128, bk = 64;
  /// Stages of shared memory that copies run ahead in.
  int64_t stages = 3;
  /// Blocks that share a tile's K; the last one to finish adds up, or all of
  /// them as a cluster.
  int64_t splitK = 1;
  /// Rows of tiles that pass before the next column: what L2 should keep.
  int64_t group = 8;
  /// Whether lhs is asked for with padded rows (GemmOperand::padded).
  bool padLhs = false;
  /// Whether it may start before the launch ahead has ended (sm_90).
  bool programmatic = false;
  /// Whether the blocks that share a tile are a cluster (sm_90): each adds up a
  /// part of the tile from the shared memory of all.
  bool clustered = false;
  /// Whether it is of a convolution that is no plain product. That follows from
  /// the fusion, and only its text differs.
  bool convolves = false;

  bool operator==(const GemmSchedule &) const = default;
};

/// Parts of a schedule's text: "128x128x64", " stages=3 split=2 group=8" and
/// " lhs=padded pdl=on"; what is not said is 1, dense or off. A cluster of
/// two is " cluster=2".
/// The families' names end in the architecture: "gemm_sm80" or "conv_sm80".
std::string familyText(const GemmSchedule &schedule, llvm::StringRef arch);
std::string tileText(const GemmSchedule &schedule);
std::string stagesText(const GemmSchedule &schedule);
std::string launchText(const GemmSchedule &schedule);

/// What an integer of a schedule may be.
enum class ScheduleForm { Any, MultipleOf16, MultipleOf64, PowerOfTwo };
struct ScheduleRange {
  llvm::StringRef key;
  int64_t low, high;
  ScheduleForm form = ScheduleForm::Any;
};
template <typename Schedule> struct ScheduleField {
  ScheduleRange range;
  int64_t Schedule::*member;
};

/// Diagnostics of schedules of `family` at `loc`.
struct ScheduleReader {
  llvm::StringRef family;
  mlir::Location loc;

  mlir::LogicalResult readInteger(mlir::NamedAttribute entry,
                                  const ScheduleRange &range,
                                  int64_t &result) const;
  /// Entries "lhs", "pdl" and "cluster"; any other is unknown.
  mlir::LogicalResult readFlag(mlir::NamedAttribute entry,
                               GemmSchedule &schedule) const;
};

/// The attribute of `schedule`; `more`: what has no field.
template <typename Schedule>
mlir::DictionaryAttr toAttribute(const Schedule &schedule,
                                 llvm::ArrayRef<ScheduleField<Schedule>> fields,
                                 llvm::ArrayRef<mlir::NamedAttribute> more,
                                 mlir::MLIRContext *context) {
  mlir::Builder b(context);
  llvm::SmallVector<mlir::NamedAttribute> entries(more);
  for (const ScheduleField<Schedule> &field : fields) {
    entries.push_back(b.getNamedAttr(
        field.range.key, b.getI64IntegerAttr(schedule.*field.member)));
  }
  entries.push_back(b.getNamedAttr(
      "lhs", b.getStringAttr(schedule.padLhs ? "padded" : "dense")));
  entries.push_back(b.getNamedAttr(
      "pdl", b.getStringAttr(schedule.programmatic ? "on" : "off")));
  if (schedule.clustered) {
    entries.push_back(b.getNamedAttr("cluster", b.getStringAttr("on")));
  }
  return b.getDictionaryAttr(entries);
}

/// Reads such an attribute. Missing keys have their default; `more(entry,
/// schedule)` reads an entry that has no field and is no flag.
template <typename Schedule, typename More>
mlir::FailureOr<Schedule>
parseSchedule(const ScheduleReader &reader,
              llvm::ArrayRef<ScheduleField<Schedule>> fields, More more,
              mlir::DictionaryAttr attribute, bool convolves) {
  Schedule schedule;
  schedule.convolves = convolves;
  for (mlir::NamedAttribute entry : attribute) {
    auto *field = llvm::find_if(fields, [&](const auto &each) {
      return each.range.key == entry.getName();
    });
    mlir::LogicalResult result =
        field != fields.end()
            ? reader.readInteger(entry, field->range, schedule.*field->member)
            : more(entry, schedule);
    if (failed(result)) {
      return mlir::failure();
    }
  }
  return schedule;
}

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMSCHEDULE_H
