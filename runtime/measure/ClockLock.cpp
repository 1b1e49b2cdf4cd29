// SPDX-License-Identifier: Apache-2.0
//
// Starts the keeper, and holds the pipe by which it knows that we live.

#include "runtime/measure/ClockLock.h"

#include "runtime/measure/ClockKeeper.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace minic::runtime {

/// The keeper, with these as its stdin and stdout; an errno.
static int startKeeper(const std::string &uuid, int mhz, int in, int out,
                       pid_t &keeper) {
  std::string clock = absl::StrCat(mhz);
  std::string words[] = {"/proc/self/exe", clockKeeperCommand, uuid, clock};
  char *argv[] = {words[0].data(), words[1].data(), words[2].data(),
                  words[3].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A terminal's Ctrl-C is for us.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  int error =
      posix_spawn(&keeper, argv[0], &actions, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// What the keeper says, to the end of the line or of its life.
static std::string readLine(int fd) {
  std::string line;
  char c = 0;
  while (true) {
    ssize_t count = ::read(fd, &c, 1);
    if (count < 0 && errno == EINTR) {
      continue; // it answers soon
    }
    if (count <= 0 || c == '\n') {
      return line;
    }
    line += c;
  }
}

absl::StatusOr<std::unique_ptr<ClockLock>>
ClockLock::acquire(const std::string &uuid, int mhz) {
  int life[2], answer[2];
  if (::pipe2(life, O_CLOEXEC) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("no pipe: ", std::strerror(errno)));
  }
  if (::pipe2(answer, O_CLOEXEC) != 0) {
    int error = errno;
    ::close(life[0]);
    ::close(life[1]);
    return absl::FailedPreconditionError(
        absl::StrCat("no pipe: ", std::strerror(error)));
  }
  pid_t keeper = -1;
  int error = startKeeper(uuid, mhz, life[0], answer[1], keeper);
  ::close(life[0]);
  ::close(answer[1]);
  std::unique_ptr<ClockLock> lock(
      new ClockLock(error == 0 ? keeper : -1, life[1]));
  std::string line = error == 0 ? readLine(answer[0]) : "";
  ::close(answer[0]);
  if (error != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "cannot start a process that keeps them: ", std::strerror(error)));
  }
  absl::string_view text = line;
  if (absl::ConsumePrefix(&text, clockKeeperLocked) &&
      absl::SimpleAtoi(text, &lock->mhz_)) {
    return lock;
  }
  return absl::FailedPreconditionError(
      line.empty() ? "the process that keeps them ended" : line);
}

ClockLock::~ClockLock() {
  ::close(lifeline);
  while (keeper > 0 && ::waitpid(keeper, nullptr, 0) < 0 && errno == EINTR) {
  }
}

} // namespace minic::runtime
