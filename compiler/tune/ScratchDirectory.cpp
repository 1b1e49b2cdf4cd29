// SPDX-License-Identifier: Apache-2.0
//
// Creation, and the sweep of what killed runs have left.

#include "compiler/tune/ScratchDirectory.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace minic::tune {

namespace fs = std::filesystem;

/// The pid in "minic-<pid>-<random>", or 0.
static pid_t ownerOf(const std::string &name) {
  int pid = 0, end = 0;
  if (std::sscanf(name.c_str(), "minic-%d-%n", &pid, &end) != 1 || end == 0 ||
      name.size() != static_cast<size_t>(end) + 6 || pid <= 0) {
    return 0;
  }
  return pid;
}

/// Removes folders whose owner is dead. The lock decides where there is one: a
/// pid may be of another namespace, or have a new owner.
static void sweep(const std::string &parent) {
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; !error && it != end;
       it.increment(error)) {
    pid_t owner = ownerOf(it->path().filename());
    if (owner == 0 || !it->is_directory(error)) {
      continue;
    }
    std::string lockPath = it->path() / "lock";
    int lock = ::open(lockPath.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool dead =
        lock >= 0 ? ::flock(lock, LOCK_EX | LOCK_NB) == 0
                  : errno == ENOENT && ::kill(owner, 0) != 0 && errno == ESRCH;
    if (dead) {
      std::error_code ignored;
      fs::remove_all(it->path(), ignored);
    }
    if (lock >= 0) {
      ::close(lock);
    }
  }
}

absl::StatusOr<std::unique_ptr<ScratchDirectory>>
ScratchDirectory::createIn(const std::string &parent) {
  sweep(parent);
  std::string pattern = absl::StrCat(parent, "/minic-", ::getpid(), "-XXXXXX");
  if (!::mkdtemp(pattern.data())) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "cannot create a folder in '", parent, "': ", std::strerror(errno)));
  }
  std::unique_ptr<ScratchDirectory> scratch(new ScratchDirectory);
  scratch->directory = pattern;
  scratch->lock =
      ::open((pattern + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (scratch->lock < 0 || ::flock(scratch->lock, LOCK_EX | LOCK_NB) != 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot lock '", pattern, "': ", std::strerror(errno)));
  }
  return scratch;
}

absl::StatusOr<std::unique_ptr<ScratchDirectory>> ScratchDirectory::create() {
  absl::Status last;
  for (const char *parent :
       {static_cast<const char *>(std::getenv("XDG_RUNTIME_DIR")), "/dev/shm",
        static_cast<const char *>(std::getenv("TMPDIR")), "/tmp"}) {
    if (!parent || ::access(parent, W_OK | X_OK) != 0) {
      continue;
    }
    absl::StatusOr<std::unique_ptr<ScratchDirectory>> scratch =
        createIn(parent);
    if (scratch.ok()) {
      return scratch;
    }
    last = scratch.status();
  }
  return last.ok() ? absl::ResourceExhaustedError(
                         "no folder for temporary files can be written")
                   : last;
}

ScratchDirectory::~ScratchDirectory() {
  if (!directory.empty()) {
    std::error_code ignored;
    fs::remove_all(directory, ignored);
  }
  if (lock >= 0) {
    ::close(lock);
  }
}

} // namespace minic::tune
