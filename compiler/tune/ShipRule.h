// SPDX-License-Identifier: Apache-2.0
//
// ShipRule: what ships, from what was measured. Pure functions; docs/tuning.md
// says why the rule is as it is.

#ifndef MINIC_COMPILER_TUNE_SHIPRULE_H
#define MINIC_COMPILER_TUNE_SHIPRULE_H

#include "compiler/tune/Record.h"

namespace minic::tune {

/// One contestant against another.
struct Figures {
  Comparison backToBack;
  Comparison call; // not measured on a CPU
};

/// Whether the first is better: one synchronized call decides; where it does
/// not separate them back-to-back time does.
bool isBetter(const Figures &firstOverSecond);

struct WayChoice {
  bool graph = false;
  std::string reason;
};

/// Of one plan: replays of its captured graph against launches on a stream;
/// where neither is better the stream, which needs no graph to be kept.
WayChoice chooseWay(const Figures &graphOverStream);

/// Whether a plan in some way of running it may ship in place of the default
/// plan as default mode runs it: its back-to-back time is shorter, by 2 % at
/// least, and one call of it does not take longer.
bool mayShip(const Figures &overDefault);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SHIPRULE_H
