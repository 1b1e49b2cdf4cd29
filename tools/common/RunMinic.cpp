// SPDX-License-Identifier: Apache-2.0
//
// A child process whose stderr is a file.

#include "tools/common/RunMinic.h"

#include "tools/common/TemporaryDirectory.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace minic::tools {

namespace {

/// `minic` in the folder of this program, or "".
std::string findMinic() {
  std::error_code error;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  std::string path = (self.parent_path() / "minic").string();
  return !error && ::access(path.c_str(), X_OK) == 0 ? path : "";
}

/// Leaves interrupts to a child: it answers by its exit code, and whoever waits
/// for it cleans up.
class IgnoredInterrupts {
public:
  IgnoredInterrupts() : before(std::signal(SIGINT, SIG_IGN)) {}
  ~IgnoredInterrupts() { std::signal(SIGINT, before); }

private:
  void (*before)(int);
};

/// Runs and waits; stderr goes to a file. The exit status as waitpid says it.
absl::StatusOr<int> execute(const std::vector<std::string> &command,
                            const std::string &stderrPath) {
  std::vector<char *> argv;
  for (const std::string &argument : command) {
    argv.push_back(const_cast<char *>(argument.c_str()));
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, stderrPath.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  IgnoredInterrupts ignored;
  pid_t child = 0;
  int error =
      posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::InternalError(absl::StrCat("cannot start '", command[0],
                                            "': ", std::strerror(error)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return absl::InternalError(
          absl::StrCat("cannot wait for '", command[0], "'"));
    }
  }
  return status;
}

/// What it said before it failed, or the error as its last line.
std::vector<std::string> linesOf(const std::string &path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// By the table of exit codes.
absl::Status failure(int status, const std::string &text) {
  switch (WIFEXITED(status) ? WEXITSTATUS(status) : -1) {
  case 2: // an option that we handed on
  case 3:
    return absl::InvalidArgumentError(text);
  case 4:
    return absl::UnimplementedError(text);
  case 130:
    return absl::CancelledError(text);
  default:
    return absl::InternalError(text);
  }
}

} // namespace

absl::Status runMinic(const std::string &what,
                      const std::vector<std::string> &arguments) {
  std::vector<std::string> command = {findMinic()};
  if (command.front().empty()) {
    return absl::UnimplementedError(absl::StrCat(what, " is not built in"));
  }
  command.insert(command.end(), arguments.begin(), arguments.end());
  absl::StatusOr<TemporaryDirectory> folder = TemporaryDirectory::create();
  if (!folder.ok()) {
    return folder.status();
  }
  std::string errors = folder->path() + "/stderr";
  absl::StatusOr<int> status = execute(command, errors);
  if (!status.ok()) {
    return status.status();
  }
  std::vector<std::string> lines = linesOf(errors);
  if (*status == 0) {
    for (const std::string &line : lines) {
      std::fprintf(stderr, "%s\n", line.c_str());
    }
    return absl::OkStatus();
  }
  // "minic: error: MESSAGE": we say by ourselves who it was.
  std::string line =
      lines.empty() ? "minic " + arguments.front() + " failed" : lines.back();
  size_t start = line.find("error: ");
  return failure(
      *status,
      absl::StrCat(what, ": ",
                   start == std::string::npos ? line : line.substr(start + 7)));
}

} // namespace minic::tools
