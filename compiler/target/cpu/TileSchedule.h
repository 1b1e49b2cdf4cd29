// SPDX-License-Identifier: Apache-2.0
//
// TileSchedule: the schedule {tile = N} of families that only divide the points
// of a result.

#ifndef MINIC_COMPILER_TARGET_CPU_TILESCHEDULE_H
#define MINIC_COMPILER_TARGET_CPU_TILESCHEDULE_H

#include "dialects/kernel/Kernel.h"

namespace minic::cpu {

/// The points of a tile that the implementation of `fusion` names, `least` or
/// more. Any other schedule is a diagnostic.
mlir::FailureOr<int64_t> parseTile(kernel::FusionOp fusion, int64_t least);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_TILESCHEDULE_H
