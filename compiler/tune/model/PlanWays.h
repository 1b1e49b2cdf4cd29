// SPDX-License-Identifier: Apache-2.0
//
// PlanWays: the ways of running one plan on a GPU, and which of them is best by
// what a contest measured.

#ifndef MINIC_COMPILER_TUNE_MODEL_PLANWAYS_H
#define MINIC_COMPILER_TUNE_MODEL_PLANWAYS_H

#include "compiler/tune/model/PlanContest.h"

#include <string>
#include <vector>

namespace minic::tune {

/// Entries of one plan in a contest; -1 for a way that does not take part. A
/// CPU knows the stream only.
struct PlanWays {
  int stream = -1, graph = -1, whenIdle = -1;
  /// Why there is no such way, where there should be one.
  std::string graphRefusal, whenIdleRefusal;
};

/// How long a run is taken to keep its stream busy, in microseconds, where it
/// replays when the stream is idle: between what a run takes that follows
/// others at once and what one takes that is waited for. Less, and a caller
/// with runs in flight would be found waiting; more, and one that waits would
/// be found busy.
double busyUs(const Figures &graphOverStream);

/// Adds replays when idle of all these plans, after everyone else entered,
/// where they have both other ways. Should that leave too little time for
/// intervals, none of them is added: what they may save, some launches, is
/// little of a run so long.
absl::Status enterWhenIdle(PlanContest &contest,
                           absl::Span<PlanWays *const> plans);

/// The ways that take part, the best first. One that keeps a graph has to be
/// better than one that does not, and one that decides at each run better than
/// both.
std::vector<int> inOrder(const PlanContest &contest, const PlanWays &ways);

/// The best way that may ship in place of the same plan launched on a stream,
/// which takes part.
int bestOverStream(const PlanContest &contest, const PlanWays &ways);

/// Why `way`, a graph's, ships, or why `shipping` does instead.
std::string reasonFor(const PlanContest &contest, const PlanWays &ways, int way,
                      int shipping);

/// For people: "stream", "graph", "graph when idle".
const char *describeWay(runtime::RunMode mode);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_MODEL_PLANWAYS_H
