// SPDX-License-Identifier: Apache-2.0
//
// Verdict: what was measured of two plans of a model, or of two ways of running
// one, and which of them ships. Plain data; TuningDb stores it.

#ifndef MINIC_COMPILER_TUNE_DATABASE_VERDICT_H
#define MINIC_COMPILER_TUNE_DATABASE_VERDICT_H

#include "compiler/tune/database/Record.h"

#include "absl/strings/string_view.h"

namespace minic::tune {

/// One figure of two contestants.
struct Comparison {
  double tunedUs = 0, defaultUs = 0; // 0: not measured
  /// Tuned over default, paired by round, with its 95 % interval; 0 and 0 where
  /// there were too few rounds for one.
  double ratio = 0, ratioLow = 0, ratioHigh = 0;

  bool isMeasured() const { return tunedUs > 0; }
  bool hasInterval() const { return ratioHigh > 0; }
  /// The interval leaves out 1, and the ratio is a percent from it.
  bool separates() const;
  /// Tuned is slower: the whole interval is above 1, or without one the ratio.
  bool isLonger() const { return (hasInterval() ? ratioLow : ratio) > 1; }
  /// The same, and the ratio is a percent from 1: one interval in forty lies
  /// above 1 where both take the same.
  bool isLongerByAPercent() const;
  /// Tuned is faster: the whole interval is below 1, or without one the ratio.
  bool isShorter() const { return (hasInterval() ? ratioHigh : ratio) < 1; }
};

/// One problem's choice in a trial.
struct Change {
  std::string problem;   // key
  std::string candidate; // name of a verified row of its record
};

/// A plan with some choices changed ("tuned") beside the plan before
/// ("default"), which it replaces if it is taken.
struct Trial {
  std::vector<Change> changes;
  Comparison backToBack, call; // without an interval: it was clearly slower
  bool isTaken = false;
  std::string refusal; // why it could not be timed; empty if it was
};

/// The better of a tuned and an estimate-only artifact of one model; or, with
/// `plan` ending in "#graph", of replaying the captured graph of what ships
/// ("tuned") and launching it on a stream ("default"); in "#when-idle", the
/// same of replaying it when the stream is idle; or, in "#generated", of two
/// tuned plans; or, where pointers of library calls change in every run, in
/// "#pointers" of staging them ("tuned") and launching ("default"), and in
/// "#update" of updating the graph ("tuned") and the same pointers ("default").
/// In "#descent" it is the plan that was found by changing choices ("tuned")
/// and the one where that began ("default").
struct Verdict {
  /// Ends of `plan`: what is judged of a model.
  static constexpr absl::string_view kPlansRow = "", kGraphRow = "#graph",
                                     kWhenIdleRow = "#when-idle",
                                     kGeneratedRow = "#generated",
                                     kPointersRow = "#pointers",
                                     kUpdateRow = "#update",
                                     kDescentRow = "#descent";
  std::string plan; // hash of both plans, the ways of running them, and a row
  std::string device, description;
  Versions versions;
  Comparison backToBack;
  Comparison call; // one synchronized call; measured on a GPU only
  bool tunedShips = true;
  /// What decided, or in which way each ran; empty on a CPU.
  std::string reason;
  std::string created;
  ClockRange clock;
  /// Time ended before the interval showed which is faster, on a machine that
  /// was not quiet; `provisionalSearches` and `noise` as in Record.
  bool isProvisional = false;
  int64_t provisionalSearches = 0;
  Noise noise;
  /// Of a descent, in the order in which they were made.
  std::vector<Trial> trials;

  bool isOfGraph() const;
  bool isOfWhenIdle() const;
  /// Of the plan of generated kernels alone, `tuned`, against the one with the
  /// fastest of all candidates, `default`.
  bool isOfGenerated() const;
  bool isOfPointers() const;
  bool isOfUpdate() const;
  bool isOfDescent() const;
  /// Nothing was measured; the reason says why.
  bool isRefused() const { return !backToBack.isMeasured(); }
};

/// "tuned 9.10 us, default 9.80 us, ratio 0.929 [0.921, 0.935]: tuned ships",
/// and which clocks the SMs had, where it is known. The names are of the plans.
std::string describe(const Verdict &verdict, const char *tuned = "tuned",
                     const char *byDefault = "default");

/// Of one trial of a descent: "1.8% [1.1, 2.4] faster", by the figure that is
/// faster.
std::string describeGain(const Trial &trial);

/// Of a verdict on a graph that is not replayed: "graph capture lost: one
/// synchronized call +2.0 %, back to back +15.5 % against the stream (...)", or
/// why none could be captured; empty where it is replayed.
std::string describeLoss(const Verdict &verdict);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_DATABASE_VERDICT_H
