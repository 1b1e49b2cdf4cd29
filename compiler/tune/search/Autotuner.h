// SPDX-License-Identifier: Apache-2.0
//
// Autotuner: finds the record of each problem, or makes it: builds, verifies,
// screens and times candidates, storing rows as they come. Knows only
// interfaces; the caller decides which processes implement them.

#ifndef MINIC_COMPILER_TUNE_SEARCH_AUTOTUNER_H
#define MINIC_COMPILER_TUNE_SEARCH_AUTOTUNER_H

#include "compiler/tune/database/TuningDb.h"
#include "compiler/tune/process/BuildPool.h"
#include "compiler/tune/process/Worker.h"
#include "compiler/tune/search/AutotunerOptions.h"
#include "compiler/tune/search/CandidateBench.h"
#include "compiler/tune/search/TunedProblem.h"
#include "compiler/tune/search/TuningTask.h"

namespace minic::tune {

/// One thread at a time.
class Autotuner {
public:
  Autotuner(TuningDb &db, BuildPool &pool, Worker &worker, const Clock &clock,
            AutotunerOptions options)
      : db(db), pool(pool), worker(worker), clock(clock),
        options(std::move(options)) {}

  /// Records of all tasks, parallel to them; keys are different. NotFound
  /// (replay) names the problem, FailedPrecondition says that none of a
  /// problem's candidates can be used and why, Cancelled that it was stopped.
  absl::StatusOr<std::vector<TunedProblem>>
  tune(absl::Span<const TuningTask> tasks);

private:
  struct Search;
  /// Searches on a GPU: builders work on all cores while candidates are
  /// screened; finals run when they are idle. Only here are expandable
  /// candidates expanded.
  absl::Status searchOnGpu(std::vector<Search> &searches,
                           std::vector<TunedProblem> &results);
  absl::Status expand(Search &search);
  absl::Status expandOne(Search &search, size_t candidate);
  /// Queues a candidate that waits to be built.
  void enqueue(Search &search, size_t candidate);
  /// Takes in what builders have done; waits at most `seconds`.
  absl::Status pump(double seconds);
  absl::Status awaitBuild(Search &search, size_t candidate);
  /// Gives the builders what is to be looked at next.
  void enqueueFirst(Search &search);
  void enqueuePromising(Search &search);
  /// Settles a candidate that cannot be among the fastest any more; else has it
  /// built.
  absl::Status ruleOut(Search &search, size_t candidate);
  /// Fills `results` with what the database has; `searches` gets the rest.
  absl::Status lookUp(absl::Span<const TuningTask> tasks,
                      std::vector<TunedProblem> &results,
                      std::vector<Search> &searches);
  bool descends(const TuningTask &task) const {
    return options.descent.share > 0 && task.listLegal;
  }
  bool isAskedToDescend(const TuningTask &task) const {
    return descends(task) && !options.descent.isShort;
  }
  bool isLessThanAsked(const Record &record, const TuningTask &task) const;
  /// Whether a finished record has all that is asked but a descent.
  bool isGoneOn(const Lookup &found, const TuningTask &task) const;
  /// It is provisional, and the machine has become quieter.
  bool isWorthAnotherSearch(const Record &record);
  /// Whether a record that may be used is used instead of searching.
  bool isAnswer(const Record &record, const TuningTask &task);
  absl::Status prepare(Search &search);
  absl::Status storeSettled(const Search &search);
  absl::Status confirm(const std::vector<Search> &searches) const;
  using Owned = std::pair<Search *, size_t>; // a candidate
  absl::Status build(std::vector<Search> &searches);
  /// Builds all of `owned`; stops early once `isLate`.
  absl::Status buildAll(std::vector<Owned> owned,
                        const std::function<bool()> &isLate);
  absl::Status buildOne(Search &search, size_t candidate);
  absl::Status measure(Search &search);
  absl::Status openBench(Search &search);
  /// Removes what measuring left on disk and in the worker.
  void closeBench(Search &search);
  /// `isFirst`: on a GPU, screens only the candidates that the builders were
  /// given. Later it screens all, and rules out those that are no longer
  /// promising.
  absl::Status screen(Search &search, bool isFirst = false);
  /// Waits until a candidate is built, unless it is settled or not worth
  /// waiting for. If nothing else works so far (`isNeeded`), it is built now.
  absl::Status awaitCandidate(Search &search, size_t candidate, bool isFirst,
                              bool isNeeded);
  /// Verifies and times a built candidate; settles its row.
  absl::Status screenCandidate(Search &search, size_t candidate);
  /// Times a verified candidate beside the anchor; the first becomes it.
  std::optional<BenchFailure> screenOne(Search &search, size_t candidate);
  std::vector<size_t> doubtful(const Search &search) const;
  /// Times again the candidates whose samples were all disturbed.
  absl::Status screenAgain(Search &search);
  /// Times a screened candidate once more beside the anchor; keeps what was
  /// known where that fails.
  absl::Status sitAgain(Search &search, size_t candidate);
  /// Goes on to neighbours of the fastest rows of each search, as
  /// ScheduleDescent says, until none helps or time is up.
  absl::Status descend(absl::Span<Search *const> searches);
  struct Descent;
  Descent beginDescent(Search &search);
  /// That there is time for in one round.
  double mostNeighbours(const Descent &descent) const;
  /// Adds the neighbours that are next, as many as there is time for, and has
  /// them built.
  absl::Status addNeighbours(Descent &descent);
  absl::Status screenNeighbours(Descent &descent);
  absl::Status runFinal(Search &search);
  /// Runs rounds among `finalists`, without those that cannot be timed; false
  /// if none is left.
  absl::StatusOr<bool> runContest(Search &search,
                                  std::vector<size_t> &finalists);
  /// The best few of the screen, fastest first.
  std::vector<size_t> finalists(const Search &search) const;
  /// The candidates left out that, by the screen, are faster than the final's
  /// fastest; that one comes first. Empty if screen and final agree.
  std::vector<size_t> leftOut(const Search &search) const;
  /// Builds finalists without an artifact: an earlier, killed search screened
  /// them.
  absl::Status buildMissing(Search &search, absl::Span<const size_t> finalists);
  RoundsOptions roundsOfFinal(const Search &search) const;
  /// False if a candidate killed the worker; one that is known to have is
  /// rejected.
  absl::StatusOr<bool> timeFinalists(Search &search,
                                     absl::Span<const size_t> finalists);
  /// Writes the result into the rows.
  void take(Search &search, absl::Span<const size_t> finalists,
            RoundsResult result);
  absl::Status finish(Search &search);
  absl::Status store(Search &search, size_t candidate);
  void report(const Search &search, const char *phase, int left,
              double remainingSeconds);
  bool stopped() const { return options.stop && options.stop(); }
  absl::Status cancelled() const;

  TuningDb &db;
  BuildPool &pool;
  Worker &worker;
  const Clock &clock;
  AutotunerOptions options;
  double start = 0;
  int problems = 0;
  int stored = 0;              // rows, in this call
  std::optional<Noise> probed; // in this call
  /// By id of a build job, while builders and worker work side by side.
  std::vector<Owned> owners;
  absl::Status storeStatus; // of rows that builders settled
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_AUTOTUNER_H
