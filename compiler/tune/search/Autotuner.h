// SPDX-License-Identifier: Apache-2.0
//
// Autotuner: finds the record of each problem, or makes it: builds, verifies,
// screens and times candidates, storing rows as they come. Knows only
// interfaces; the caller decides which processes implement them.

#ifndef MINIC_COMPILER_TUNE_SEARCH_AUTOTUNER_H
#define MINIC_COMPILER_TUNE_SEARCH_AUTOTUNER_H

#include "compiler/tune/database/TuningDb.h"
#include "compiler/tune/process/BuildPool.h"
#include "compiler/tune/process/Clock.h"
#include "compiler/tune/process/Worker.h"
#include "compiler/tune/search/CandidateBench.h"
#include "compiler/tune/search/Prospects.h"
#include "compiler/tune/search/Rounds.h"
#include "compiler/tune/search/TunedProblem.h"
#include "compiler/tune/search/TuningTask.h"

namespace minic::tune {

struct TuningProgress {
  int problem = 0, problems = 0; // 1-based, of those being searched
  std::string description;
  const char *phase = ""; // "build", "measure" or "final"
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
  bool isLessThanAsked(const Record &record, const TuningTask &task) const;
  /// It is provisional, and the machine has become quieter.
  bool isWorthAnotherSearch(const Record &record);
  /// Whether a record that may be used is used instead of searching.
  bool isAnswer(const Record &record, const TuningTask &task);
  absl::Status prepare(Search &search);
  absl::Status storeSettled(const Search &search);
  absl::Status confirm(const std::vector<Search> &searches) const;
  absl::Status build(std::vector<Search> &searches);
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
  std::vector<std::pair<Search *, size_t>> owners;
  absl::Status storeStatus; // of rows that builders settled
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_AUTOTUNER_H
