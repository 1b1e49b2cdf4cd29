// SPDX-License-Identifier: Apache-2.0
//
// flock on one file of each user.

#include "compiler/tune/MeasureLock.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace minic::tune {

static std::string lockFile(const std::string &suffix) {
  const char *runtime = std::getenv("XDG_RUNTIME_DIR");
  bool usable = runtime && *runtime && ::access(runtime, W_OK | X_OK) == 0;
  return absl::StrCat(usable ? runtime : "/tmp", "/minic-measuring-",
                      ::getuid(), suffix, ".lock");
}

std::string MeasureLock::defaultPath() { return lockFile(""); }

std::string MeasureLock::pathOf(const std::string &deviceId) {
  std::string suffix = "-";
  for (char c : deviceId) {
    suffix += absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '-';
  }
  return lockFile(suffix);
}

absl::StatusOr<std::unique_ptr<MeasureLock>>
MeasureLock::acquire(const std::string &path,
                     const std::function<void(const std::string &)> &notify,
                     const std::function<bool()> &stop) {
  int fd =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    return absl::PermissionDeniedError(
        absl::StrCat("cannot open '", path, "': ", std::strerror(errno)));
  }
  std::unique_ptr<MeasureLock> lock(new MeasureLock(fd));
  for (bool isFirst = true; ::flock(fd, LOCK_EX | LOCK_NB) != 0;
       isFirst = false) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return absl::InternalError(
          absl::StrCat("cannot lock '", path, "': ", std::strerror(errno)));
    }
    if (isFirst && notify) {
      notify("waiting for another minic that is measuring on this device");
    }
    if (stop && stop()) {
      return absl::CancelledError("interrupted while waiting to measure");
    }
    ::usleep(50000);
  }
  return lock;
}

MeasureLock::~MeasureLock() { ::close(fd); }

} // namespace minic::tune
