// SPDX-License-Identifier: Apache-2.0
//
// collapseLoops: as few loops as a set of walks needs.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_COLLAPSELOOPS_H
#define MINIC_COMPILER_TARGET_CODEGEN_COLLAPSELOOPS_H

#include "compiler/target/codegen/PointwiseLoops.h"

namespace minic {

/// Drops loops of one iteration and merges neighbours walked alike. With
/// `hasPairs` the last loop is over the two of a pair: it becomes a stride of
/// its own.
void collapseLoops(PointwiseLoops &loops, bool hasPairs);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_COLLAPSELOOPS_H
