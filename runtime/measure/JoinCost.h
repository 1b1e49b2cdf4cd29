// SPDX-License-Identifier: Apache-2.0
//
// JoinCost: what running on a team costs besides the work.

#ifndef MINIC_RUNTIME_MEASURE_JOINCOST_H
#define MINIC_RUNTIME_MEASURE_JOINCOST_H

#include "absl/status/statusor.h"

namespace minic::runtime {

/// Microseconds of a parallel region without work on a team of `threads` as
/// plans use it, between regions that follow each other: of several hundred
/// what a quarter stays below, so that other processes on the cores hardly
/// enter. Takes about 4 ms at most. 0 for one thread; Unavailable where other
/// processes keep the cores so busy that there is no such figure, else the
/// error of ThreadTeam::create.
absl::StatusOr<double> measureJoinUs(int threads);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_JOINCOST_H
