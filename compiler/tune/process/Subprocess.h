// SPDX-License-Identifier: Apache-2.0
//
// Subprocess: a child that answers lines with lines, dies with its parent, and
// leaves neither zombies nor grandchildren behind.

#ifndef MINIC_COMPILER_TUNE_PROCESS_SUBPROCESS_H
#define MINIC_COMPILER_TUNE_PROCESS_SUBPROCESS_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace minic::tune {

/// Owns a child process in a process group of its own, so that an interrupt
/// from the terminal reaches the parent alone. The destructor kills the group
/// and reaps the child. One thread at a time.
class Subprocess {
public:
  /// Starts `arguments` (the first is the path of the program) with pipes for
  /// stdin, stdout and stderr. NotFound where the program cannot be run.
  static absl::StatusOr<std::unique_ptr<Subprocess>>
  spawn(const std::vector<std::string> &arguments);
  ~Subprocess();
  Subprocess(const Subprocess &) = delete;
  Subprocess &operator=(const Subprocess &) = delete;

  /// Sends `line` and a newline; what the pipe does not take at once is sent
  /// while waiting. Lines are short beside what the child reads.
  void send(const std::string &line);

  enum class Event { Line, Ended, Timeout };
  /// Waits until the child has sent a line (without its newline) or is gone.
  /// Timeout after `seconds`, or where a signal interrupted the wait.
  Event receive(std::string &line, double seconds);

  /// Waits until one of `children` can be received from without blocking, a
  /// signal arrives, or `seconds` pass.
  static void waitAny(absl::Span<Subprocess *const> children, double seconds);

  /// Kills the child's process group and reaps it.
  void kill();

  /// Once it is gone: "killed by signal 11 (Segmentation fault)" or "exited
  /// with code 1", and the last line it wrote to stderr.
  std::string describeEnd();

  pid_t pid() const { return childPid; }

private:
  Subprocess() = default;
  void pump(double seconds);
  void reap();

  pid_t childPid = -1;
  int input = -1, output = -1, errors = -1; // our ends, non-blocking
  std::string unsent, received, errorText;
  int waitStatus = 0;
  bool reaped = false;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_PROCESS_SUBPROCESS_H
