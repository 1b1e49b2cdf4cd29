// SPDX-License-Identifier: Apache-2.0
//
// Interrupt: Ctrl-C as a flag, so that temporary files and child processes are
// cleaned up by the destructors that know them.

#ifndef MINIC_COMPILER_TUNE_PROCESS_INTERRUPT_H
#define MINIC_COMPILER_TUNE_PROCESS_INTERRUPT_H

namespace minic {

/// Turns SIGINT and SIGTERM into interrupted(). Blocking system calls return
/// EINTR. A second signal ends the process at once with status 130.
void catchInterrupts();

/// While one lives, a signal ends the process at once with status 130 and the
/// line of an interrupt: for what is long, waits for nothing and leaves nothing
/// behind. Does nothing before catchInterrupts(). One at a time.
class EndsAtInterrupt {
public:
  EndsAtInterrupt();
  ~EndsAtInterrupt();
  EndsAtInterrupt(const EndsAtInterrupt &) = delete;
  EndsAtInterrupt &operator=(const EndsAtInterrupt &) = delete;
};

/// True once a signal has arrived. Whoever loops or waits asks, and gives up
/// as on any other error. Async-signal-safe, thread-safe.
bool interrupted();

} // namespace minic

#endif // MINIC_COMPILER_TUNE_PROCESS_INTERRUPT_H
