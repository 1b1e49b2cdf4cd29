// SPDX-License-Identifier: Apache-2.0
//
// StageGroups: a body with several anchors, cut where its values have to be
// complete.

#ifndef MINIC_COMPILER_TARGET_STAGEGROUPS_H
#define MINIC_COMPILER_TARGET_STAGEGROUPS_H

#include "compiler/target/PartSources.h"

namespace minic {

struct StageGroup {
  /// A contraction or convolution is in it, as the first op. Else it is what
  /// pointwise kernels, or those of reductions along rows, compute.
  bool isProduct = false;
  OpIndices ops;
};

/// A partition of the body: a group per product, with what needs it and no
/// later group; per chain of reductions the same; and first, if there is any,
/// what needs no anchor: a group per shape of what later groups read, unless
/// these share an op. Each group reads inputs and earlier groups only.
std::vector<StageGroup> getStageGroups(kernel::FusionOp fusion);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_STAGEGROUPS_H
