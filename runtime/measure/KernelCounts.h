// SPDX-License-Identifier: Apache-2.0
//
// KernelCounts: how many threads want a core and how long they waited for it,
// from files below /proc. No value if a file has another form.

#ifndef MINIC_RUNTIME_MEASURE_KERNELCOUNTS_H
#define MINIC_RUNTIME_MEASURE_KERNELCOUNTS_H

#include "absl/strings/string_view.h"

#include <cstdint>
#include <optional>

namespace minic::runtime {

/// The threads of all processes that run or could: the first part of the fourth
/// field of /proc/loadavg (proc_loadavg(5)).
std::optional<int64_t> parseRunnable(absl::string_view loadavg);

/// How long a thread could have run but had to wait: the second number of its
/// schedstat file, nanoseconds (Documentation/scheduler/sched-stats.rst of
/// Linux).
std::optional<double> parseRunDelayUs(absl::string_view schedstat);

/// How long cores of this machine were given to somebody else by a hypervisor:
/// the eighth number of the first line of /proc/stat, in ticks (proc_stat(5)).
std::optional<double> parseStolenUs(absl::string_view stat,
                                    double ticksPerSecond);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_KERNELCOUNTS_H
