// SPDX-License-Identifier: Apache-2.0
//
// TuningTask: what the autotuner is asked to find the fastest candidate of.

#ifndef MINIC_COMPILER_TUNE_SEARCH_TUNINGTASK_H
#define MINIC_COMPILER_TUNE_SEARCH_TUNINGTASK_H

#include "compiler/tune/search/ScheduleSpace.h"
#include "runtime/measure/Protocol.h"

#include "absl/status/statusor.h"

#include <functional>

namespace minic::tune {

/// A problem with the candidates that the target offers, best estimate first.
struct TuningTask {
  ProblemSpec problem;
  std::vector<CandidateSpec> candidates;
  runtime::Residency residency = runtime::Residency::warm;
  /// Writes the expected outputs for the seeds below (inputs; constants) with
  /// runtime::writeExpectedOutputs. Called once, before the first candidate is
  /// verified.
  std::function<absl::Status(const std::string &path)> writeExpected;
  /// The same under runtime::withNan; null where candidates may lose a NaN.
  std::function<absl::Status(const std::string &path)> writeExpectedOfNan;
  uint64_t seed = 1, constantsSeed = 2;
  /// Measured on this machine's GPU number `device`.
  bool onGpu = false;
  int device = 0;
  /// An expandable candidate with `algorithm` in its call. Null where none is
  /// expandable.
  std::function<absl::StatusOr<CandidateSpec>(
      const CandidateSpec &candidate, const runtime::AlgorithmReply &algorithm)>
      expand;
  /// How many candidates there are if families leave none out: those above, or
  /// more. Called where the problem is searched. Null: not known.
  std::function<int64_t()> countLegal;
  /// All of them as points, best estimate first. Called at most once, where a
  /// search descends. Null: it cannot.
  std::function<std::vector<SchedulePoint>()> listLegal;
  /// Most bytes of workspace of an algorithm.
  uint64_t scratchLimit = 0;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_TUNINGTASK_H
