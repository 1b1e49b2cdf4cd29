// SPDX-License-Identifier: Apache-2.0
//
// WorkerServer: the worker's side of the protocol.

#ifndef MINIC_RUNTIME_MEASURE_WORKERSERVER_H
#define MINIC_RUNTIME_MEASURE_WORKERSERVER_H

#include "runtime/measure/Protocol.h"

#include <memory>

namespace minic::runtime {

/// Holds what has been loaded. One thread at a time.
class WorkerServer {
public:
  WorkerServer();
  ~WorkerServer();

  /// Answers one request; failures are ErrorReply. May crash or hang where a
  /// loaded kernel does: that is why it lives in a process of its own.
  Reply handle(const Request &request);

  /// Reads lines from `inputFd` and answers each on `outputFd` until quit, the
  /// end of the input, an output nobody reads, or a fatal error. Malformed
  /// lines are answered by an error. Status of the process: 0.
  int serve(int inputFd, int outputFd);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_WORKERSERVER_H
