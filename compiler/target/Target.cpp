// SPDX-License-Identifier: Apache-2.0
//
// Dispatch from an implemented fusion to the source that its impl names.

#include "compiler/target/Target.h"

using namespace mlir;

namespace minic {

const ImplementationSource *Target::find(StringRef family) const {
  for (const KernelFamily *source : families()) {
    if (source->name() == family) {
      return source;
    }
  }
  for (const LibraryBackend *source : libraries()) {
    if (source->name() == family) {
      return source;
    }
  }
  return nullptr;
}

LogicalResult Target::lower(Operation *op, plan::PlanBuilder &plan) {
  if (auto relayout = dyn_cast<kernel::RelayoutOp>(op)) {
    return lowerRelayout(relayout, plan);
  }
  auto fusion = dyn_cast<kernel::FusionOp>(op);
  if (!fusion || !fusion.getImplAttr()) {
    return op->emitError("internal error: expected a kernel.fusion with impl "
                         "or a kernel.relayout");
  }
  StringRef family = fusion.getImplAttr().getFamily();
  const ImplementationSource *source = find(family);
  if (!source) {
    return fusion.emitError("target '")
           << profile().target << "' has no kernel family or library '"
           << family << "'";
  }
  return source->lower(fusion, plan);
}

} // namespace minic
