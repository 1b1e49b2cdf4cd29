// SPDX-License-Identifier: Apache-2.0
//
// OutputFile: write, then rename; pipes and devices in place.

#include "runtime/measure/OutputFile.h"

#include "runtime/format/TemporaryFile.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace minic::runtime {
namespace {

absl::Status writeInPlace(const std::string &path,
                          absl::Span<const std::string_view> pieces) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  int error = fd < 0 ? errno : 0;
  for (std::string_view piece : pieces) {
    while (error == 0 && !piece.empty()) {
      ssize_t written = ::write(fd, piece.data(), piece.size());
      if (written >= 0) {
        piece.remove_prefix(size_t(written));
      } else if (errno != EINTR) {
        error = errno;
      }
    }
  }
  if (fd >= 0 && ::close(fd) != 0 && error == 0) {
    error = errno;
  }
  return error == 0 ? absl::OkStatus()
                    : absl::PermissionDeniedError(absl::StrCat(
                          "cannot write '", path, "': ", std::strerror(error)));
}

} // namespace

absl::Status writeOutputFile(const std::string &path,
                             absl::Span<const std::string_view> pieces) {
  struct stat existing;
  if (::stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    return writeInPlace(path, pieces);
  }
  uint64_t bytes = 0;
  for (std::string_view piece : pieces) {
    bytes += piece.size();
  }
  absl::StatusOr<format::TemporaryFile> file =
      format::TemporaryFile::create(path, bytes);
  if (!file.ok()) {
    return file.status();
  }
  std::byte *destination = file->data();
  for (std::string_view piece : pieces) {
    if (!piece.empty()) {
      std::memcpy(destination, piece.data(), piece.size());
      destination += piece.size();
    }
  }
  return file->publish(/*durable=*/false);
}

} // namespace minic::runtime
