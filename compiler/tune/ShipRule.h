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

/// Of one plan: replays of its captured graph against launches on a stream. One
/// synchronized call decides; where it does not separate them back-to-back
/// time, then the stream, which needs no graph to be kept.
WayChoice chooseWay(const Figures &graphOverStream);

/// Whether a tuned plan may ship on a stream in place of the default one on a
/// stream: it is better by one of the figures, its back-to-back time is
/// estimated to be no longer, whatever the interval, and one call of it does
/// not take longer. With too few rounds for an interval the estimates decide.
bool mayLaunch(const Figures &tunedOverDefault);

/// Whether a graph, of the tuned plan or of the default one, may ship in place
/// of the default plan on a stream: the interval of back-to-back time is wholly
/// below 1, and one call does not take longer.
bool mayReplay(const Figures &graphOverDefault);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SHIPRULE_H
