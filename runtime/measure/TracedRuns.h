// SPDX-License-Identifier: Apache-2.0
//
// TracedRuns: where the time of a program's runs goes, command by command.

#ifndef MINIC_RUNTIME_MEASURE_TRACEDRUNS_H
#define MINIC_RUNTIME_MEASURE_TRACEDRUNS_H

#include "runtime/program/Program.h"

#include "runtime/device/RunTrace.h"

#include "absl/status/statusor.h"

#include <functional>
#include <string>
#include <vector>

namespace minic::runtime {

/// A command of a plan, for people.
struct PlanCommand {
  std::string kind;  // "launch", "call", "copy" or "fill"
  std::string name;  // the kernel, or "cublas gemm"; empty of others
  std::string label; // the model's ops that it came from; may be empty
};

/// All commands of the program's variant, in its order.
std::vector<PlanCommand> describeCommands(const Program &program);

struct TracedRuns {
  std::vector<double> spansUs; // of each run
  /// The run whose span is the median.
  RunTrace typical;
  /// By place among its commands: medians over the runs.
  std::vector<double> medianUs;
};

/// Traces `count` runs, at least 1. One run ahead of them is not counted.
absl::StatusOr<TracedRuns>
traceRuns(const std::function<absl::StatusOr<RunTrace>()> &run, int count);

/// How long a command worked: from the begin of its first worker to the end of
/// its last, of a launch on a CPU; else from its own begin to its end.
WorkerTime workOf(const CommandTime &command);

/// Microseconds in which at least one command worked. What is left of the span
/// are gaps.
double busyUs(const RunTrace &trace);

/// For each command of the trace, the microseconds from the last end of a
/// command before its own end to that: what it makes the run longer by, gaps
/// included. A kernel that begins beside the one ahead of it and waits for it
/// adds less than its own time.
std::vector<double> addedUs(const RunTrace &trace);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_TRACEDRUNS_H
