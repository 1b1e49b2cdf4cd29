// SPDX-License-Identifier: Apache-2.0
//
// NVML, and the wait for the end of a pipe.

#include "runtime/measure/ClockKeeper.h"

#include "runtime/base/ExitCode.h"
#include "runtime/measure/Nvml.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>

#include <unistd.h>

namespace minic::runtime {

/// Empty, with the clock that was set, or why not.
static std::string lockClocks(const Nvml &nvml, const std::string &uuid,
                              unsigned &mhz, void *&device) {
  if (absl::StartsWith(uuid, "MIG-")) {
    return "a MIG instance has no clocks of its own";
  }
  if (!nvml.problem.empty()) {
    return nvml.problem;
  }
  if (!nvml.getMaxClock || !nvml.lockClocks || !nvml.resetClocks) {
    return "this NVML locks no clocks, expected a newer one";
  }
  if (int error = nvml.getHandle(uuid.c_str(), &device); error != 0) {
    return absl::StrCat("NVML finds no ", uuid, ": ", nvml.describe(error));
  }
  if (mhz == 0) {
    if (int error = nvml.getMaxClock(device, Nvml::smClock, &mhz); error != 0) {
      return absl::StrCat("NVML names no highest SM clock: ",
                          nvml.describe(error));
    }
  }
  int error = nvml.lockClocks(device, mhz, mhz);
  return error == 0 ? ""
                    : absl::StrCat("NVML sets no ", mhz,
                                   " MHz: ", nvml.describe(error));
}

static void waitForEndOfInput() {
  char c = 0;
  while (true) {
    ssize_t count = ::read(STDIN_FILENO, &c, 1);
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return;
    }
  }
}

int keepClocks(int argc, char **argv) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
    std::signal(signal, SIG_IGN);
  }
  unsigned mhz = 0;
  if (argc != 3 || !absl::SimpleAtoi(argv[2], &mhz)) {
    return static_cast<int>(ExitCode::Usage);
  }
  Nvml nvml;
  void *device = nullptr;
  std::string problem = lockClocks(nvml, argv[1], mhz, device);
  std::string answer =
      problem.empty() ? absl::StrCat(clockKeeperLocked, mhz) : problem;
  std::printf("%s\n", answer.c_str());
  std::fflush(stdout);
  if (!problem.empty()) {
    return static_cast<int>(ExitCode::Unsupported);
  }
  waitForEndOfInput();
  if (int error = nvml.resetClocks(device); error != 0) {
    std::fprintf(stderr,
                 "minic: warning: the SM clocks of %s stay locked: %s; "
                 "'nvidia-smi --reset-gpu-clocks' frees them\n",
                 argv[1], nvml.describe(error).c_str());
    return static_cast<int>(ExitCode::Unsupported);
  }
  return static_cast<int>(ExitCode::Success);
}

} // namespace minic::runtime
