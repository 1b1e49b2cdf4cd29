// SPDX-License-Identifier: Apache-2.0
//
// Takes choices apart.

#include "compiler/tune/bridge/SchedulePoints.h"

using namespace mlir;

namespace minic::tune {

/// Whether the schedule of `part` may change.
static bool isGenerated(kernel::PartAttr part, const Target &target) {
  return llvm::any_of(target.families(), [&](const KernelFamily *family) {
    return family->name() == part.getImplementation().getFamily() &&
           !family->isPlugin() && !family->takesUserKernels();
  });
}

static ScheduleValue valueOf(Attribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  if (integer && !integer.getType().isInteger(1)) {
    return {integer.getInt(), ""};
  }
  ScheduleValue value;
  llvm::raw_string_ostream os(value.word);
  if (auto word = dyn_cast<StringAttr>(attribute)) {
    os << word.getValue();
  } else {
    attribute.print(os);
  }
  return value;
}

SchedulePoint pointOf(CandidateSpec spec, kernel::ChoiceAttr choice,
                      const Target &target) {
  SchedulePoint point;
  llvm::raw_string_ostream frame(point.frame);
  frame << spec.label << " expanded ";
  llvm::interleaveComma(choice.getExpand(), frame);
  for (kernel::PartAttr part : choice.getParts()) {
    kernel::ImplAttr impl = part.getImplementation();
    ScheduleFields &fields = point.parts.emplace_back();
    frame << " | ";
    llvm::interleaveComma(part.getOps(), frame);
    frame << ' ' << impl.getFamily();
    if (!isGenerated(part, target)) {
      frame << ' ';
      Attribute(part).print(frame);
      continue;
    }
    // Layouts of operands follow from the schedule.
    for (NamedAttribute entry : impl.getSchedule()) {
      fields[entry.getName().str()] = valueOf(entry.getValue());
    }
  }
  point.candidate = std::move(spec);
  return point;
}

} // namespace minic::tune
