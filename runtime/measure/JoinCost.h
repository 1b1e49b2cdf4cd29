// SPDX-License-Identifier: Apache-2.0
//
// JoinCost: what running on a team costs besides the work.

#ifndef MINIC_RUNTIME_MEASURE_JOINCOST_H
#define MINIC_RUNTIME_MEASURE_JOINCOST_H

#include "absl/status/statusor.h"

namespace minic::runtime {

/// Microseconds of a parallel region without work on a team of `threads` as
/// plans use it, between regions that follow each other. It is the lower
/// quartile of several hundred, so other processes on the cores hardly change
/// it. Takes about 4 ms at most. 0 for one thread. Unavailable if other
/// processes keep the cores too busy for a figure; otherwise errors are those
/// of ThreadTeam::create.
absl::StatusOr<double> measureJoinUs(int threads);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_JOINCOST_H
