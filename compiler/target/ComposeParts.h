// SPDX-License-Identifier: Apache-2.0
//
// ComposeParts: choices for bodies with several anchors, a part or a few for
// each of their groups.

#ifndef MINIC_COMPILER_TARGET_COMPOSEPARTS_H
#define MINIC_COMPILER_TARGET_COMPOSEPARTS_H

#include "compiler/target/StageGroups.h"

namespace minic {

struct Composition {
  BackendLabel label;
  std::vector<ImplementedPart> parts;
  bool needsLibrary = false;
};

/// For each label that is allowed the best estimate of every group, all
/// products by sources of that label; the best of all labels together; and
/// these with one group by a runner-up. A product that nobody takes with what
/// follows it is a part of its own. Empty where a group has no implementation,
/// or no group is a product; `sources` explains why.
std::vector<Composition>
composeParts(kernel::FusionOp fusion, const Target &target,
             PartSources &sources,
             llvm::function_ref<bool(BackendLabel)> allows);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_COMPOSEPARTS_H
