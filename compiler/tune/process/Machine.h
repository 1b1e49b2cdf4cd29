// SPDX-License-Identifier: Apache-2.0
//
// Machine: the programs that the compiler starts on this machine, and what a
// worker says of it. minic itself opens no device and no library.

#ifndef MINIC_COMPILER_TUNE_PROCESS_MACHINE_H
#define MINIC_COMPILER_TUNE_PROCESS_MACHINE_H

#include "compiler/tune/process/ProcessWorker.h"

#include "absl/status/statusor.h"

#include <memory>
#include <optional>

namespace minic::tune {

/// The programs that the tuner starts, and files that are installed with them.
struct ToolPaths {
  std::string minic, worker;
  /// The folder of shipped records: share/minic/tuned beside the programs'.
  std::string shipped;
  /// This program, and what lies around it.
  static ToolPaths ofThisProgram();
};

/// Starts nothing until it is asked. One thread at a time.
class Machine {
public:
  explicit Machine(ToolPaths tools) : tools_(std::move(tools)) {}

  const ToolPaths &tools() const { return tools_; }

  /// One worker for all that is asked of this machine, so that a driver is
  /// opened once.
  Worker &worker();
  /// What it was asked so far.
  RequestCosts requestCosts() const {
    return worker_ ? worker_->costs() : RequestCosts();
  }

  /// Facts of the CPU, or with its GPUs; asked once each. FailedPrecondition
  /// where the worker does not answer.
  absl::StatusOr<runtime::DeviceFacts> describe(bool gpus);
  /// Microseconds that a launch on a team of `threads` takes besides its work,
  /// measured by this call. FailedPrecondition where it cannot be now.
  absl::StatusOr<double> measureJoin(int threads);

private:
  absl::StatusOr<runtime::DeviceFacts>
  ask(const runtime::DescribeRequest &request);

  ToolPaths tools_;
  std::unique_ptr<ProcessWorker> worker_;
  std::optional<runtime::DeviceFacts> cpu, all;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_PROCESS_MACHINE_H
