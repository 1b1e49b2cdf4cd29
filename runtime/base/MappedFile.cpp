// SPDX-License-Identifier: Apache-2.0
//
// open, fstat, mmap, close.

#include "runtime/base/MappedFile.h"

#include "absl/strings/str_cat.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace minic::runtime {

absl::StatusOr<MappedFile> MappedFile::open(const std::string &path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open '", path, "'"));
  }
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "' is not a regular file"));
  }
  MappedFile file;
  if (info.st_size > 0) {
    void *map = mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) {
      int error = errno;
      ::close(fd);
      return absl::ErrnoToStatus(error,
                                 absl::StrCat("cannot map '", path, "'"));
    }
    file.bytes_ = {static_cast<const std::byte *>(map),
                   static_cast<size_t>(info.st_size)};
  }
  ::close(fd);
  return file;
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) {
    munmap(const_cast<std::byte *>(bytes_.data()), bytes_.size());
  }
}

} // namespace minic::runtime
