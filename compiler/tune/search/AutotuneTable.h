// SPDX-License-Identifier: Apache-2.0
//
// AutotuneTable: a record as the AUTOTUNE table people know.

#ifndef MINIC_COMPILER_TUNE_SEARCH_AUTOTUNETABLE_H
#define MINIC_COMPILER_TUNE_SEARCH_AUTOTUNETABLE_H

#include "compiler/tune/search/AutotunerOptions.h"
#include "compiler/tune/search/TunedProblem.h"

namespace minic::tune {

/// Several lines, each ending in a newline: finalists by time with interval,
/// part of the best and verified error; then other verified rows, up to
/// `maxRows` in all; then who was rejected and why; then what it cost.
std::string formatTable(const TunedProblem &tuned, int maxRows = 10);

/// "2.3310 ms", or "0.2071 us" where that would have no digits left.
std::string formatTime(double microseconds);

/// Part of a table's time column: all its times are in the unit of the fastest.
class TimeUnit {
public:
  explicit TimeUnit(double fastestUs) : isMilliseconds(fastestUs >= 10) {}
  std::string format(double microseconds) const;

private:
  bool isMilliseconds;
};

/// One line: "tuning 1 of 2: linear_relu(...), build, 31 left, 4 s, about 9 s
/// more".
std::string formatProgress(const TuningProgress &progress);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_AUTOTUNETABLE_H
