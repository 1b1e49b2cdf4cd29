// SPDX-License-Identifier: Apache-2.0
//
// Interrupt: lets a long search end in good order when the user presses ^C.

#ifndef MINIC_COMPILER_TUNE_INTERRUPT_H
#define MINIC_COMPILER_TUNE_INTERRUPT_H

#include <csignal>

namespace minic::tune {

/// While one lives, the first SIGINT, SIGTERM or SIGHUP sets a flag instead of
/// ending the process; a second one ends it. One at a time per process.
class InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard &) = delete;
  InterruptGuard &operator=(const InterruptGuard &) = delete;

  /// True once a signal has come.
  static bool requested();

private:
  struct sigaction before[3];
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_INTERRUPT_H
