// SPDX-License-Identifier: Apache-2.0
//
// The state of one problem's search inside the Autotuner; private to it.

#ifndef MINIC_COMPILER_TUNE_SEARCH_SEARCH_H
#define MINIC_COMPILER_TUNE_SEARCH_SEARCH_H

#include "compiler/tune/search/Autotuner.h"
#include "compiler/tune/search/CandidateBench.h"
#include "compiler/tune/search/Prospects.h"
#include "compiler/tune/search/ScreenSamples.h"

#include <limits>
#include <map>
#include <memory>

namespace minic::tune {

struct Autotuner::Search {
  const TuningTask *task = nullptr;
  size_t index = 0; // of the task; results are parallel to tasks
  int position = 0; // 1-based among the searches, for progress
  int64_t recordId = 0;
  double deadline = 0;  // clock time when measuring must end
  Lookup found;         // what the database had
  Record record;        // rows parallel to the candidates
  bool resumes = false; // rows of `found.record` save work

  /// Those of the task, then those that were expanded; with their rows.
  std::vector<CandidateSpec> candidates;
  /// Per candidate.
  enum class Step {
    Waiting,  // to be built
    Built,    // its artifact is there; to be verified
    Settled,  // its row says all: screened, rejected, or skipped
    Expanded, // others stand for it
  };
  std::vector<Step> steps;
  std::vector<bool> queued;             // handed to the builders, on a GPU
  std::map<std::string, size_t> byHash; // of built or known candidates
  std::map<size_t, int64_t> spillBytes; // of candidates that spill

  std::unique_ptr<CandidateBench> bench;
  /// Seconds until `now`, since the bench had spent `loaded` on loading and it
  /// was `begun`, without those that it spent on loading meanwhile.
  double secondsBesideLoads(double now, double begun, double loaded) const {
    return now - begun - (bench->loadSeconds - loaded);
  }
  std::string expectedPath;
  /// The verified candidate that others are compared and paired with; -1
  /// while there is none.
  int anchor = -1;
  double anchorUs = 0;
  /// The shortest time of the screen so far.
  double bestUs = std::numeric_limits<double>::infinity();
  /// Whether select() finds a row; a screen that found one once has one.
  bool hasUsable = false;
  SampleSet anchorSamples;                  // of all sittings
  std::map<size_t, ScreenSamples> screened; // by candidate, in this search
  void add(size_t candidate, ScreenSamples::Sitting sitting);
  /// Brings the screen's times to one scale, that of all anchor's samples.
  void settleScreen();
  /// The fastest of the finals so far; -1 before the first.
  int leader = -1;
  /// Time ended before the finals decided.
  bool isUndecided = false;

  const CandidateSpec &candidate(size_t i) const { return candidates[i]; }
  size_t size() const { return candidates.size(); }
  /// All legal candidates; null where the search does not descend.
  std::unique_ptr<ScheduleSpace> space;
  /// A candidate that counts for nothing: others stand for it, or descent had
  /// no time for it.
  bool isDropped(size_t i) const {
    return steps[i] == Step::Expanded ||
           (steps[i] != Step::Settled && !record.rows[i].foundFrom.empty());
  }
  /// Adds a candidate with its row, which an unfinished search may have filled
  /// already (`resumes`).
  void add(CandidateSpec candidate, bool resumes);
  /// Appends "(form 2)" or the like to a name that a candidate has already.
  void makeNameUnique(CandidateSpec &spec) const;
  /// In the worker, which several searches may share at a time.
  std::string id(size_t i) const {
    return "p" + std::to_string(position) + "c" + std::to_string(i);
  }
  std::string problemPath, artifactStem;
  std::string artifact(size_t i) const {
    return artifactStem + "-" + std::to_string(i) + ".minic";
  }
  BuildJob job(size_t i) const {
    return {problemPath, candidate(i).choice, artifact(i)};
  }
  /// Takes in what the builder said of candidate `i`.
  void built(size_t i, const BuildOutcome &outcome);
  void reject(size_t i, RowStatus status, const std::string &reason);
  /// Candidates from `from` on that are built or at the builders.
  int leftToScreen(size_t from) const;
  /// What is known of all candidates, of those that may win.
  std::vector<Prospect> prospects(const SelectionPolicy &policy) const;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_SEARCH_H
