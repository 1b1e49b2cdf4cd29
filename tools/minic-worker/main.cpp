// SPDX-License-Identifier: Apache-2.0
//
// minic-worker: loads, verifies and times artifacts for minic's tuner. Not for
// people: it speaks runtime/measure/Protocol.h over stdin and stdout.

#include "runtime/measure/WorkerServer.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc > 1) {
    bool help = std::strcmp(argv[1], "--help") == 0;
    std::fputs("usage: minic-worker\n"
               "Started by minic to verify and time candidates; reads requests "
               "as JSON lines\nfrom stdin and answers on stdout.\n",
               help ? stdout : stderr);
    return help ? 0 : 2;
  }
  // A kernel that hangs reads no stdin, so its end would not be noticed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_IGN);
  // SIGINT on the terminal goes to the whole group: the parent decides.
  std::signal(SIGINT, SIG_IGN);
  // Libraries may print to stdout, which belongs to the protocol.
  int output = dup(STDOUT_FILENO);
  if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    std::perror("minic-worker: stdout");
    return 5;
  }
  return minic::runtime::WorkerServer().serve(STDIN_FILENO, output);
}
