// SPDX-License-Identifier: Apache-2.0
//
// NoiseMeter: how much samples vary while they are taken, and how many other
// processes want a core meanwhile.

#ifndef MINIC_COMPILER_TUNE_SEARCH_NOISEMETER_H
#define MINIC_COMPILER_TUNE_SEARCH_NOISEMETER_H

#include "compiler/tune/database/Noise.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace minic::tune {

/// Threads of this machine that run or could run, without the caller's; 0 if
/// unknown.
int64_t runnableOthers();

/// One thread at a time.
class NoiseMeter {
public:
  explicit NoiseMeter(std::function<int64_t()> countOthers = runnableOthers)
      : countOthers(std::move(countOthers)) {}

  /// Right before a round, while the worker waits.
  void beforeRound();
  /// What the first take of a sample said; `series` names what was timed, and
  /// how.
  void add(const std::string &series, double us);

  /// Unknown where no series has enough samples.
  Noise noise() const;

private:
  std::function<int64_t()> countOthers;
  double others = 0;
  int64_t rounds = 0;
  std::map<std::string, std::vector<double>> samples;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_NOISEMETER_H
