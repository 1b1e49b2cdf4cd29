// SPDX-License-Identifier: Apache-2.0
//
// SchedulePoints: candidates of a target as points of a ScheduleSpace, whose
// fields are those of the schedules of generated kernels.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_SCHEDULEPOINTS_H
#define MINIC_COMPILER_TUNE_BRIDGE_SCHEDULEPOINTS_H

#include "compiler/target/Candidates.h"
#include "compiler/tune/search/ScheduleSpace.h"

namespace minic::tune {

/// `spec`, made of `choice`, as a point. Schedules of libraries, plug-ins and
/// users' kernels belong to its frame.
SchedulePoint pointOf(CandidateSpec spec, kernel::ChoiceAttr choice,
                      const Target &target);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_SCHEDULEPOINTS_H
