// SPDX-License-Identifier: Apache-2.0
//
// A descent costs seconds and gains a few percent of some models, so it gets a
// part of what the search took.

#include "compiler/tune/model/DescentWorth.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace minic::tune {

/// Candidates of a GPU are timed in microseconds, so its searches are short: in
/// three tenths of GPT-2's there was time for 4 changes of 40.
static constexpr double partOfSearch = 0.3, partOfSearchOnGpu = 0.5;
static constexpr double leastSeconds = 2, leastSecondsOnGpu = 6;
static constexpr double mostSeconds = 60;

/// On a GPU the ends of one kernel and the beginning of the next overlap, for
/// two kernels already. On a CPU two in turn find the caches about as each of
/// them leaves them alone.
static constexpr size_t fewestProblems = 3, fewestProblemsOnGpu = 2;

double mostDescentSeconds(double searchSeconds, bool onGpu) {
  double part = onGpu ? partOfSearchOnGpu : partOfSearch;
  return std::clamp(part * searchSeconds,
                    onGpu ? leastSecondsOnGpu : leastSeconds, mostSeconds);
}

std::string whyNoDescent(const DescentInputs &inputs) {
  size_t count = inputs.problems.size();
  if (count < (inputs.model.onGpu ? fewestProblemsOnGpu : fewestProblems)) {
    return absl::StrCat("none: only ", count,
                        count == 1 ? " problem" : " different problems");
  }
  bool hasRivals = std::any_of(inputs.problems.begin(), inputs.problems.end(),
                               [](const DescentProblem &problem) {
                                 return problem.candidates.size() > 1;
                               });
  return hasRivals ? ""
                   : absl::StrCat("none: no other row of ", count,
                                  " problems comes close to its winner");
}

} // namespace minic::tune
