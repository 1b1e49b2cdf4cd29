// SPDX-License-Identifier: Apache-2.0
//
// The signal handler.

#include "compiler/tune/process/Interrupt.h"

#include <csignal>
#include <unistd.h>

namespace minic {

static volatile std::sig_atomic_t arrived = 0;

static void onSignal(int) {
  if (arrived) {
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

bool interrupted() { return arrived != 0; }

} // namespace minic
