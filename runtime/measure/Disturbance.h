// SPDX-License-Identifier: Apache-2.0
//
// Disturbance: whether this process was kept from running while a sample was
// taken: its threads waited for a core, or the hypervisor ran somebody else.

#ifndef MINIC_RUNTIME_MEASURE_DISTURBANCE_H
#define MINIC_RUNTIME_MEASURE_DISTURBANCE_H

#include <cstdint>

namespace minic::runtime {

/// What the kernel has counted up to now.
struct WithheldTime {
  double waitedUs = 0;             // all threads of this process, on run queues
  double stolenUs = 0;             // all cores of this machine, by a hypervisor
  int64_t involuntarySwitches = 0; // of this process
  bool knowsWaits = false;         // the kernel counts run-queue delays
};

/// Reads /proc; takes some 5 us a thread. What cannot be read stays 0.
WithheldTime readWithheldTime();

/// Whether more than `disturbedShare` of a sample was withheld. Where the
/// kernel counts no delays, any involuntary switch counts.
bool isDisturbed(const WithheldTime &before, const WithheldTime &after,
                 double sampleUs);

/// Rounds are dropped at the same drift. A thread that is woken waits a few
/// microseconds on a quiet machine, which is less than this of a sample.
inline constexpr double disturbedShare = 0.03;

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_DISTURBANCE_H
