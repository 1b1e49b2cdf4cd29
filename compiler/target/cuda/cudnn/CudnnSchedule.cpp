// SPDX-License-Identifier: Apache-2.0
//
// From and to the dictionary of a #kernel.impl.

#include "compiler/target/cuda/cudnn/CudnnSchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace minic::cuda {

DictionaryAttr CudnnSchedule::toAttribute(MLIRContext *context,
                                          bool isConvolution) const {
  Builder b(context);
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr("compute", b.getStringAttr(isTf32 ? "tf32" : "f32")),
      b.getNamedAttr("scratch_bytes", b.getI64IntegerAttr(scratchBytes))};
  if (isConvolution) {
    entries.push_back(b.getNamedAttr(
        "form", b.getStringAttr(isFilterNhwc ? "nhwc" : "nchw")));
  }
  if (!algorithm.empty()) {
    entries.push_back(b.getNamedAttr("algorithm", b.getStringAttr(algorithm)));
  }
  return b.getDictionaryAttr(entries);
}

FailureOr<CudnnSchedule> CudnnSchedule::parse(DictionaryAttr attribute,
                                              Location loc) {
  CudnnSchedule schedule;
  auto fail = [&](const Twine &why) -> FailureOr<CudnnSchedule> {
    return emitError(loc) << "a schedule of cuDNN: " << why << ", got "
                          << attribute;
  };
  for (NamedAttribute entry :
       attribute ? attribute.getValue() : ArrayRef<NamedAttribute>()) {
    StringRef name = entry.getName().strref();
    auto text = dyn_cast<StringAttr>(entry.getValue());
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    if (name == "compute" && text &&
        (text.getValue() == "f32" || text.getValue() == "tf32")) {
      schedule.isTf32 = text.getValue() == "tf32";
    } else if (name == "form" && text &&
               (text.getValue() == "nchw" || text.getValue() == "nhwc")) {
      schedule.isFilterNhwc = text.getValue() == "nhwc";
    } else if (name == "scratch_bytes" && number && number.getInt() >= 0) {
      schedule.scratchBytes = number.getInt();
    } else if (name == "algorithm" && text) {
      schedule.algorithm = text.getValue().str();
    } else {
      return fail("expects form, compute, scratch_bytes and algorithm");
    }
  }
  // The engine itself is the runtime's to read.
  if (!schedule.algorithm.empty() &&
      (schedule.version().empty() || !schedule.engine().starts_with("eng"))) {
    return fail("expects an algorithm of a version, a colon and an engine");
  }
  return schedule;
}

StringRef CudnnSchedule::version() const {
  return StringRef(algorithm).split(':').first;
}

StringRef CudnnSchedule::engine() const {
  return StringRef(algorithm).split(':').second;
}

} // namespace minic::cuda
