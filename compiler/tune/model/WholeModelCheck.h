// SPDX-License-Identifier: Apache-2.0
//
// WholeModelCheck: times the tuned artifact of a model against what default
// mode would ship, so that tuning never makes a model slower; on a GPU also
// the ways of running it: launches on a stream, replays of a captured graph,
// and replays when the stream is idle.

#ifndef MINIC_COMPILER_TUNE_MODEL_WHOLEMODELCHECK_H
#define MINIC_COMPILER_TUNE_MODEL_WHOLEMODELCHECK_H

#include "compiler/tune/database/TuningDb.h"
#include "compiler/tune/process/Clock.h"
#include "compiler/tune/process/Worker.h"
#include "compiler/tune/search/Rounds.h"

namespace minic::tune {

struct WholeModelInputs {
  /// Artifacts; the default one only where the plans differ, the generated one
  /// only where there is one.
  std::string tunedPath, defaultPath, generatedPath;
  /// False: both plans are the same, and only the way they run is in question.
  bool plansDiffer = true;
  /// There is another tuned plan, of generated kernels alone. Only beside a
  /// default plan that differs, and only on a GPU.
  bool hasGenerated = false;
  /// The tuned plan runs on a library's team of threads and the default one
  /// does not, or the reverse.
  bool teamsDiffer = false;
  /// No tuned plan has more commands than the default one, so that the host
  /// takes no longer to launch it. On a GPU.
  bool launchesNoMore = false;
  std::string function = "main";
  /// Hash of all plans. It and the ways of running them are the key of a
  /// verdict.
  std::string planKey;
  std::string device, description;
  Versions versions;
  bool retune = false; // ignore a stored verdict
  /// How noisy the machine is now. A provisional verdict is ignored if the
  /// machine has become quieter (isSearchedAgain). Null: it is not ignored.
  std::function<Noise()> probeNoise;
  /// GPU: its index, and which ways of running take part. One of them at least.
  bool onGpu = false;
  int deviceIndex = 0;
  bool streams = true, graphs = false;
  /// Where both take part: default mode replays the default plan's graph. Its
  /// launches are timed, too, for callers that ask for streams alone.
  bool defaultReplays = false;
  double roundUs = 2000;
  double timeoutSeconds = 30;
  RoundsOptions rounds = wholeModelRounds();

  /// Go on while an interval holds 1 and is wider than 2 %.
  static RoundsOptions wholeModelRounds();
};

struct WholeModelResult {
  /// Generated kernels alone against the fastest of all candidates, each in its
  /// best way. `plans` and `graph` are about the winner.
  std::optional<Verdict> generated;
  /// Tuned, run in its best way, against default as default mode runs it; none
  /// where they are the same plan.
  std::optional<Verdict> plans;
  /// Each of these ways against launches on a stream, of the plan that ships:
  /// a graph always replayed, and one replayed when the stream is idle. None if
  /// only one way was asked for, or if there is no graph. A refused one says
  /// why that way did not take part.
  std::optional<Verdict> graph, whenIdle;
  /// The first two for callers that only launch on streams, from the same
  /// rounds; none if no graph was asked for.
  std::vector<Verdict> ofStreams;
  /// If what ships replays a graph: staging changed pointers of library calls
  /// against launching, and updating the graph. A refused one says why there is
  /// nothing to choose; none if it could not be measured now.
  std::optional<Verdict> pointers, update;
  bool measured = false; // now; false: all of it was stored
  /// If one of two plans cannot be run: why, and whether it is the tuned one.
  /// The other ships, and nothing is stored, because the machine may change.
  std::string failure;
  bool isTunedLost = false;
};

/// Returns stored verdicts, or measures and stores them. ShipRule says which
/// plan wins: tuning never makes a model slower. An error if no plan can be
/// run: FailedPrecondition if the machine lacks something, else Internal.
absl::StatusOr<WholeModelResult> checkWholeModel(const WholeModelInputs &inputs,
                                                 TuningDb &db, Worker &worker,
                                                 const Clock &clock);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_MODEL_WHOLEMODELCHECK_H
