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
  /// No way to run it: what it takes of the GPU, whoever launches it.
  int device = -1;
  /// Why there is no such way, where there should be one.
  std::string graphRefusal, whenIdleRefusal;
};

/// For replay when idle: how long, in microseconds, a run is assumed to keep
/// its stream busy. It lies between the time of back-to-back runs and that of a
/// call that is waited for. If it were less, busy callers would be taken for
/// idle ones; if it were more, idle callers for busy ones.
double busyUs(const Figures &graphOverStream);

/// Adds replay when idle for those of the plans that have both other ways. Call
/// it after everyone else entered. If that left too little time for intervals,
/// none is added: it only saves launch overhead, which is negligible in runs so
/// long.
absl::Status enterWhenIdle(PlanContest &contest,
                           absl::Span<PlanWays *const> plans);

/// Whether a run, of so many microseconds back to back, is so short that the
/// host may take as long to launch it: then the device's time is timed, too.
bool isShortRun(double us);

/// Adds the device's time of two plans or more that have the other ways and are
/// short, where it can be taken.
void enterDevice(PlanContest &contest, absl::Span<PlanWays *const> plans);

/// The ways that take part, the best first. A graph must be better than the
/// stream to come first, and replay when idle better than both.
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
