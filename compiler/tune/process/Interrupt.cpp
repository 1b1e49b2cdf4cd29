// SPDX-License-Identifier: Apache-2.0
//
// The signal handler.

#include "compiler/tune/process/Interrupt.h"

#include <csignal>
#include <unistd.h>

namespace minic {

static volatile std::sig_atomic_t arrived = 0;

static volatile std::sig_atomic_t endsAtOnce = 0;

static void onSignal(int) {
  if (endsAtOnce) {
    static constexpr char line[] = "minic: interrupted\n";
    (void)!write(STDERR_FILENO, line, sizeof(line) - 1);
  }
  if (arrived || endsAtOnce) {
    _exit(130);
  }
  arrived = 1;
}

void catchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = onSignal;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: a wait for a child or for a pipe must notice.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

EndsAtInterrupt::EndsAtInterrupt() { endsAtOnce = 1; }

EndsAtInterrupt::~EndsAtInterrupt() { endsAtOnce = 0; }

bool interrupted() { return arrived != 0; }

} // namespace minic
