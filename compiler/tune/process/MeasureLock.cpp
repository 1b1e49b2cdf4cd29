// SPDX-License-Identifier: Apache-2.0
//
// flock on one file of each device, which all users may open.

#include "compiler/tune/process/MeasureLock.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace minic::tune {

static std::string lockFile(const std::string &suffix) {
  const char *folder = std::getenv("MINIC_LOCK_DIR");
  return absl::StrCat(folder && *folder ? folder : "/tmp", "/minic-measuring",
                      suffix, ".lock");
}

std::string MeasureLock::defaultPath() { return lockFile(""); }

std::string MeasureLock::pathOf(const std::string &deviceId) {
  std::string suffix = "-";
  for (char c : deviceId) {
    suffix += absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '-';
  }
  return lockFile(suffix);
}

/// Negative with errno where it can neither be opened nor created. To lock a
/// file it is enough to read it; in a sticky folder such as /tmp Linux may
/// refuse to open another user's file with O_CREAT.
static int openForAll(const std::string &path) {
  constexpr int flags = O_CLOEXEC | O_NOFOLLOW;
  while (true) {
    int fd = ::open(path.c_str(), O_RDONLY | flags);
    if (fd >= 0 || errno != ENOENT) {
      return fd;
    }
    fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | flags, 0644);
    if (fd >= 0) {
      ::fchmod(fd, 0644); // whatever the umask
      return fd;
    }
    if (errno != EEXIST) {
      return fd;
    }
  }
}

absl::StatusOr<std::unique_ptr<MeasureLock>>
MeasureLock::acquire(const std::string &path,
                     const std::function<void(const std::string &)> &notify,
                     const std::function<bool()> &stop) {
  int fd = openForAll(path);
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
