// SPDX-License-Identifier: Apache-2.0
//
// ProcessWorker: a Worker that is a minic-worker process, started at the first
// request and again after it died.

#ifndef MINIC_COMPILER_TUNE_PROCESS_PROCESSWORKER_H
#define MINIC_COMPILER_TUNE_PROCESS_PROCESSWORKER_H

#include "compiler/tune/process/Subprocess.h"
#include "compiler/tune/process/Worker.h"

#include <map>

namespace minic::tune {

/// By name of a request.
struct RequestCost {
  double seconds = 0; // until it was answered or given up
  int64_t count = 0;
};
using RequestCosts = std::map<std::string, RequestCost>;

/// "load 1.2 s in 40, time 3.0 s in 12": what `after` has and `before` has not,
/// most seconds first; empty where that is nothing.
std::string describeCosts(const RequestCosts &after,
                          const RequestCosts &before);

class ProcessWorker : public Worker {
public:
  /// `command`: the program and its arguments.
  explicit ProcessWorker(std::vector<std::string> command)
      : command(std::move(command)) {}
  ~ProcessWorker() override;

  WorkerAnswer ask(const runtime::Request &request,
                   double timeoutSeconds) override;

  const RequestCosts &costs() const { return requestCosts; }

private:
  WorkerAnswer exchange(const runtime::Request &request, double timeoutSeconds);

  std::vector<std::string> command;
  std::unique_ptr<Subprocess> process;
  bool everAnswered = false;
  RequestCosts requestCosts;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_PROCESS_PROCESSWORKER_H
