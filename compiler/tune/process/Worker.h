// SPDX-License-Identifier: Apache-2.0
//
// Worker: loads, verifies and times candidates; a process of its own
// (ProcessWorker), or a fake in tests.

#ifndef MINIC_COMPILER_TUNE_PROCESS_WORKER_H
#define MINIC_COMPILER_TUNE_PROCESS_WORKER_H

#include "runtime/measure/Protocol.h"

#include <string>

namespace minic::tune {

struct WorkerAnswer {
  enum class Fate {
    Answered, // `reply` is of the request's kind
    Refused,  // it answered an error; `detail` says which; it goes on
    Crashed,  // it died; nothing is loaded any more
    Hung,     // it did not answer in time and was killed; the same
    Missing   // it cannot be started, or speaks another protocol
  };
  Fate fate = Fate::Missing;
  runtime::Reply reply;
  std::string detail; // one line
  /// Refused: whether the machine lacks something, which is no fault of what
  /// was asked for.
  bool isMachines = false;
};

/// One thread at a time. After Crashed and Hung the next request goes to a
/// fresh worker that has nothing loaded.
class Worker {
public:
  virtual ~Worker() = default;
  virtual WorkerAnswer ask(const runtime::Request &request,
                           double timeoutSeconds) = 0;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_PROCESS_WORKER_H
