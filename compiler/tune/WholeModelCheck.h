// SPDX-License-Identifier: Apache-2.0
//
// WholeModelCheck: times the tuned artifact of a model against the one that
// the estimate alone gives, so that tuning never makes a model slower.

#ifndef MINIC_COMPILER_TUNE_WHOLEMODELCHECK_H
#define MINIC_COMPILER_TUNE_WHOLEMODELCHECK_H

#include "compiler/tune/Clock.h"
#include "compiler/tune/Rounds.h"
#include "compiler/tune/TuningDb.h"
#include "compiler/tune/Worker.h"

namespace minic::tune {

struct WholeModelInputs {
  std::string tunedPath, defaultPath; // artifacts
  std::string function = "main";
  /// Hash of both plans; with it a verdict is found again.
  std::string planKey;
  std::string device, description;
  Versions versions;
  bool retune = false; // ignore a stored verdict
  double roundUs = 2000;
  double timeoutSeconds = 30;
  RoundsOptions rounds = wholeModelRounds();

  /// Go on while the interval holds 1 and is wider than 2 %.
  static RoundsOptions wholeModelRounds();
};

/// The stored verdict of this plan, or a measured one, which is stored. The
/// tuned plan ships if its time is estimated to be no longer than the default
/// one's, whatever the interval: who tunes is never worse off. `measured` tells
/// which it was.
absl::StatusOr<Verdict> checkWholeModel(const WholeModelInputs &inputs,
                                        TuningDb &db, Worker &worker,
                                        const Clock &clock, bool &measured);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_WHOLEMODELCHECK_H
