// SPDX-License-Identifier: Apache-2.0

#include "compiler/tune/Interrupt.h"

namespace minic::tune {

static constexpr int handled[] = {SIGINT, SIGTERM, SIGHUP};
static volatile std::sig_atomic_t pending = 0;

static void onSignal(int signal) {
  if (pending) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
  pending = 1;
}

InterruptGuard::InterruptGuard() {
  pending = 0;
  struct sigaction action = {};
  action.sa_handler = onSignal; // without SA_RESTART: waits end early
  for (int i = 0; i < 3; ++i) {
    ::sigaction(handled[i], &action, &before[i]);
  }
}

InterruptGuard::~InterruptGuard() {
  for (int i = 0; i < 3; ++i) {
    ::sigaction(handled[i], &before[i], nullptr);
  }
}

bool InterruptGuard::requested() { return pending != 0; }

} // namespace minic::tune
