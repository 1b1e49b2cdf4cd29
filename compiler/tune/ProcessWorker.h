// SPDX-License-Identifier: Apache-2.0
//
// ProcessWorker: a Worker that is a minic-worker process, started at the first
// request and again after it died.

#ifndef MINIC_COMPILER_TUNE_PROCESSWORKER_H
#define MINIC_COMPILER_TUNE_PROCESSWORKER_H

#include "compiler/tune/Subprocess.h"
#include "compiler/tune/Worker.h"

namespace minic::tune {

class ProcessWorker : public Worker {
public:
  /// `command`: the program and its arguments.
  explicit ProcessWorker(std::vector<std::string> command)
      : command(std::move(command)) {}
  ~ProcessWorker() override;

  WorkerAnswer ask(const runtime::Request &request,
                   double timeoutSeconds) override;

private:
  std::vector<std::string> command;
  std::unique_ptr<Subprocess> process;
  bool everAnswered = false;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_PROCESSWORKER_H
