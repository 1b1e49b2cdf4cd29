// SPDX-License-Identifier: Apache-2.0
//
// Clock: the time that budgets are counted in; tests turn it by hand.

#ifndef MINIC_COMPILER_TUNE_PROCESS_CLOCK_H
#define MINIC_COMPILER_TUNE_PROCESS_CLOCK_H

#include <chrono>

namespace minic::tune {

class Clock {
public:
  virtual ~Clock() = default;
  /// Seconds since some moment; never goes back.
  virtual double now() const = 0;
};

class SteadyClock : public Clock {
public:
  double now() const override {
    return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_PROCESS_CLOCK_H
