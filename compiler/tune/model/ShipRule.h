// SPDX-License-Identifier: Apache-2.0
//
// ShipRule: what ships, from what was measured. Pure functions; docs/tuning.md
// says why the rule is as it is.

#ifndef MINIC_COMPILER_TUNE_MODEL_SHIPRULE_H
#define MINIC_COMPILER_TUNE_MODEL_SHIPRULE_H

#include "compiler/tune/database/Verdict.h"

#include <string>

namespace minic::tune {

/// One contestant against another.
struct Figures {
  Comparison backToBack;
  Comparison call; // not measured on a CPU
  /// The GPU's own time, of short runs that are launched in the same way.
  Comparison device;
  /// There were too few rounds in which nobody else ran: a CPU's alone.
  bool isDisturbed = false;
  /// One of the two runs on a team of threads that waits for all its members,
  /// as a library's does, the other one on a team that does not.
  bool teamsDiffer = false;
};

/// What decides between two plans that nobody waits for: the device's time
/// where it is known, since back-to-back time is that or the host's.
const Comparison &timeWithoutWaits(const Figures &figures);

/// Whether the first is better: the time of one synchronized call decides. If
/// it does not separate them, back-to-back time does.
bool isBetter(const Figures &firstOverSecond);

/// Which figure decided, for people.
const char *describeDecision(const Figures &figures);

/// ", on the device 3.58 us for 3.83, ratio 0.935 [0.931, 0.939]"; empty where
/// the device's time was not measured.
std::string describeDevice(const Figures &figures);

/// What runs of a graph do if library calls get other pointers than the graph
/// is bound to.
struct PointerChoice {
  /// They are staged by a second graph; otherwise launched, without one.
  bool stages = false;
  /// After so many runs on the same new pointers the graph is updated; 0:
  /// never.
  uint32_t runsBeforeUpdate = 0;
  double updateUs = 0; // what an update adds to a run; 0: it is refused
};

/// From figures of runs that change pointers each time, and of runs that update
/// the graph each time against runs that need not; null: an update is refused.
PointerChoice choosePointers(const Figures &stageOverLaunch,
                             const Figures *updateOverSame);

/// Whether a plan in some way of running it may ship in place of the default
/// plan as default mode runs it: its back-to-back time is shorter, by 2 % at
/// least, and one call of it does not take longer by a percent. Where the
/// device's time is known it takes the place of back-to-back time. Of disturbed
/// figures it must be shorter by 5 %, and they say nothing where the teams
/// differ.
bool mayShip(const Figures &overDefault);

/// Whether a plan with other choices may take the place of the plan before it,
/// both run in the same way: one of the two figures is shorter, by its interval
/// and by 1 % at least, and neither is longer. Where the device's time is known
/// that has to be shorter, and no call longer by a percent. Of disturbed
/// figures back-to-back time must be shorter by 5 %, and they say nothing where
/// the teams differ.
bool mayReplace(const Figures &overBefore);

/// Whether a plan that replays when its stream is idle may ship in place of
/// the same plan launched on a stream: one call is shorter, by 2 % at least,
/// and back to back it does not take longer. A busy stream gets the same
/// launches as before, so nothing can be gained there.
bool mayShipWhenIdle(const Figures &overStream);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_MODEL_SHIPRULE_H
