// SPDX-License-Identifier: Apache-2.0
//
// Empty fields become no attribute.

#include "dialects/kernel/Provenance.h"

using namespace mlir;

DictionaryAttr minic::kernel::provenanceOf(const SelectedChoice &choice,
                                           MLIRContext *context) {
  Builder builder(context);
  NamedAttrList attrs;
  attrs.set("origin", builder.getStringAttr(choice.origin));
  attrs.set("reason", builder.getStringAttr(choice.reason));
  attrs.set("time_us", builder.getF64FloatAttr(choice.timeUs));
  if (choice.expectedUs > 0) {
    attrs.set("expected_us", builder.getF64FloatAttr(choice.expectedUs));
  }
  if (!choice.candidate.empty()) {
    attrs.set("candidate", builder.getStringAttr(choice.candidate));
  }
  if (!choice.problem.empty()) {
    attrs.set("problem", builder.getStringAttr(choice.problem));
  }
  if (choice.maxAbsoluteError >= 0) {
    attrs.set("error_over_tolerance",
              builder.getF64FloatAttr(choice.errorOverTolerance));
    attrs.set("max_absolute_error",
              builder.getF64FloatAttr(choice.maxAbsoluteError));
  }
  if (!choice.runnerUp.empty()) {
    attrs.set("runner_up", builder.getStringAttr(choice.runnerUp));
    attrs.set("runner_up_ratio", builder.getF64FloatAttr(choice.runnerUpRatio));
  }
  return attrs.getDictionary(context);
}

double minic::kernel::expectedUs(FusionOp fusion) {
  auto provenance = fusion->getAttrOfType<DictionaryAttr>("provenance");
  for (StringRef name : {"time_us", "expected_us"}) {
    auto us = provenance ? provenance.getAs<FloatAttr>(name) : FloatAttr();
    if (us && us.getValueAsDouble() > 0) {
      return us.getValueAsDouble();
    }
  }
  return 0;
}
