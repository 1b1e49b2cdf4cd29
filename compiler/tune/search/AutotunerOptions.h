// SPDX-License-Identifier: Apache-2.0
//
// AutotunerOptions: how much an Autotuner looks at, how long it measures, and
// whom it tells.

#ifndef MINIC_COMPILER_TUNE_SEARCH_AUTOTUNEROPTIONS_H
#define MINIC_COMPILER_TUNE_SEARCH_AUTOTUNEROPTIONS_H

#include "compiler/tune/database/Record.h"
#include "compiler/tune/search/Prospects.h"
#include "compiler/tune/search/Rounds.h"
#include "compiler/tune/search/ScheduleDescent.h"

#include "absl/status/status.h"

#include <functional>
#include <string>

namespace minic::tune {

struct TuningProgress {
  int problem = 0, problems = 0; // 1-based, of those being searched
  std::string description;
  const char *phase = ""; // "build", "measure", "descent" or "final"
  int candidatesLeft = 0;
  double elapsedSeconds = 0;
  double remainingSeconds = -1; // an estimate; negative: not known
};

struct AutotunerOptions {
  double budgetSeconds = 0; // for all problems together; 0: no limit
  bool retune = false;      // search although there is a record
  bool replay = false;      // search nothing; a miss is NotFound
  /// Existing folder for problem files and artifacts, which are removed as
  /// soon as they are not needed.
  std::string scratchDirectory;
  int finalists = 6, leastFinalists = 4;
  /// Times that the contest is opened again for candidates left out.
  int reopenings = 2;
  /// Most algorithms of one expandable candidate.
  int algorithms = 8;
  /// The same of one with a cheaper peer: eight took 3 of the 5 s that a small
  /// bf16 matmul took on an H200.
  int algorithmsBesidePeer = 4;
  /// Finalists are at most this much slower than the fastest in the screen,
  /// except the first few.
  double finalistRatio = 1.25;
  /// A final that takes this much longer than a left-out candidate in the
  /// screen contradicts it: clocks move by less between both.
  double contradiction = 1.1;
  double screenUs = 500, roundUs = 2000; // per candidate and round
  int screenPairs = 3;
  double timeoutSeconds = 10; // of one request to the worker
  RoundsOptions rounds;
  /// Of the finals of all problems together; each may take rounds.maxSeconds at
  /// most and half of it at least. 0: no limit.
  double finalsSeconds = 0;
  SelectionPolicy policy;
  ProspectPolicy prospects;
  ScheduleDescentPolicy descent;
  /// How noisy the machine is now; asked at most once in a call of tune(), and
  /// only where there is a provisional record. Null: provisional records are
  /// not searched again.
  std::function<Noise()> probeNoise;
  /// Called once, before the first build, where there is something to search:
  /// to wait for another tuner. Records are looked up again afterwards.
  std::function<absl::Status()> beforeSearch;
  /// Called then with how many candidates have no row yet, of how many
  /// problems: an error ends the search before its first build.
  std::function<absl::Status(int64_t candidates, int problems)> confirm;
  std::function<void(const TuningProgress &)> progress;
  /// Called with each row that is stored: once its candidate is settled.
  std::function<void(const Row &)> settled;
  /// Asked often; true ends the search as Cancelled, keeping what was stored.
  std::function<bool()> stop;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_AUTOTUNEROPTIONS_H
