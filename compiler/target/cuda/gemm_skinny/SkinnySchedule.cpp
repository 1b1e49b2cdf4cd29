// SPDX-License-Identifier: Apache-2.0
//
// Text and attribute form of schedules.

#include "compiler/target/cuda/gemm_skinny/SkinnySchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

StringRef nameOf(SkinnyMath math) {
  switch (math) {
  case SkinnyMath::Mma16:
    return "mma";
  case SkinnyMath::MmaTf32:
    return "tf32";
  case SkinnyMath::Ffma:
    return "ffma";
  }
  llvm_unreachable("no such math");
}

std::string toString(const SkinnySchedule &s) {
  return llvm::formatv(
      "gemm_skinny {0} {1} warps={2} {3}={4} unroll={5} stages={6}{7}",
      s.columns, nameOf(s.math), s.warps, s.clustered ? "cluster" : "split",
      s.split, s.unroll, s.stages,
      s.late           ? " pdl=late"
      : s.programmatic ? " pdl"
                       : "");
}

DictionaryAttr toAttr(const SkinnySchedule &s, MLIRContext *context) {
  Builder b(context);
  auto number = [&](StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  };
  return b.getDictionaryAttr(
      {number("cluster", s.clustered), number("columns", s.columns),
       b.getNamedAttr("math", b.getStringAttr(nameOf(s.math))),
       number("pdl", s.programmatic + s.late), number("split", s.split),
       number("stages", s.stages), number("unroll", s.unroll),
       number("warps", s.warps)});
}

FailureOr<SkinnySchedule> parseSkinnySchedule(DictionaryAttr attr,
                                              Location loc) {
  SkinnySchedule schedule;
  bool isKnown = attr && attr.size() == 8;
  auto number = [&](StringRef name, int64_t least, int64_t most) {
    auto value = attr ? attr.getAs<IntegerAttr>(name) : IntegerAttr();
    isKnown =
        isKnown && value && value.getInt() >= least && value.getInt() <= most;
    return isKnown ? value.getInt() : least;
  };
  schedule.clustered = number("cluster", 0, 1) != 0;
  schedule.columns = number("columns", 1, 64);
  schedule.warps = number("warps", 1, 32);
  schedule.split = number("split", 1, 64);
  schedule.unroll = number("unroll", 1, 16);
  schedule.stages = number("stages", 1, 16);
  int64_t pdl = number("pdl", 0, 2);
  schedule.programmatic = pdl > 0;
  schedule.late = pdl > 1;
  auto math = attr ? attr.getAs<StringAttr>("math") : StringAttr();
  bool isMath = false;
  for (SkinnyMath known :
       {SkinnyMath::Mma16, SkinnyMath::MmaTf32, SkinnyMath::Ffma}) {
    if (math && math.getValue() == nameOf(known)) {
      schedule.math = known;
      isMath = true;
    }
  }
  // Clusters of eight run on every device that has clusters.
  isKnown = isKnown && (!schedule.clustered ||
                        (schedule.split > 1 && schedule.split <= 8));
  bool isTile = schedule.math == SkinnyMath::Ffma || schedule.columns % 16 == 0;
  if (!isKnown || !isMath || !isTile) {
    return emitError(loc, "gemm_skinny expects a schedule {cluster, columns, "
                          "math, pdl, split, stages, unroll, warps} with "
                          "clusters of 2 to 8 blocks, got ")
           << attr;
  }
  return schedule;
}

} // namespace minic::cuda
