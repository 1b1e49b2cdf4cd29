// SPDX-License-Identifier: Apache-2.0
//
// Creation, and the sweep of what killed runs have left.

#include "compiler/tune/process/ScratchDirectory.h"

#include "absl/strings/str_cat.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace minic::tune {

namespace fs = std::filesystem;

/// Age from which a file without living owner is taken for an orphan.
static constexpr int orphanSeconds = 60;

/// The pid in "minic-<pid>-<6 characters>" or, for a file, the same with a
/// suffix such as ".o"; else 0.
static pid_t ownerOf(const std::string &name, bool isFile) {
  int pid = 0, end = 0;
  if (std::sscanf(name.c_str(), "minic-%d-%n", &pid, &end) != 1 || end == 0 ||
      pid <= 0) {
    return 0;
  }
  size_t length = name.size() - static_cast<size_t>(end);
  bool matches = isFile ? length > 7 && name[end + 6] == '.' : length == 6;
  return matches ? pid : 0;
}

static bool isDead(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

/// For folders the lock decides where there is one: a pid may be of another
/// namespace, or have a new owner.
static void sweepFolder(const fs::path &path, pid_t owner) {
  int lock = ::open((path / "lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  bool dead = lock >= 0 ? ::flock(lock, LOCK_EX | LOCK_NB) == 0
                        : errno == ENOENT && isDead(owner);
  if (dead) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  if (lock >= 0) {
    ::close(lock);
  }
}

/// Files live for milliseconds: one of a pid that is not here and that is old
/// enough not to be in use elsewhere is an orphan.
static void sweepFile(const fs::path &path, pid_t owner) {
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_uid == ::geteuid() && isDead(owner) &&
      std::time(nullptr) - status.st_mtime > orphanSeconds) {
    ::unlink(path.c_str());
  }
}

/// Removes what processes that are dead have left in `parent`.
static void sweep(const std::string &parent) {
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    bool isFolder =
        it->symlink_status(ignored).type() == fs::file_type::directory;
    pid_t owner = ownerOf(it->path().filename(), !isFolder);
    if (owner != 0) {
      isFolder ? sweepFolder(it->path(), owner) : sweepFile(it->path(), owner);
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

/// Where scratch directories may be, best first; null for a name not set.
static std::array<const char *, 4> parents() {
  return {std::getenv("XDG_RUNTIME_DIR"), "/dev/shm", std::getenv("TMPDIR"),
          "/tmp"};
}

void ScratchDirectory::removeOrphans() {
  for (const char *parent : parents()) {
    if (parent) {
      sweep(parent);
    }
  }
}

absl::StatusOr<std::unique_ptr<ScratchDirectory>> ScratchDirectory::create() {
  absl::Status last;
  removeOrphans();
  for (const char *parent : parents()) {
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
