// SPDX-License-Identifier: Apache-2.0
//
// The temporary name is ".<file>.<pid>-<serial>.minic-part". Its owner holds a
// lock on it; a process that can take that lock knows that the owner is dead.

#include "runtime/format/TemporaryFile.h"

#include "absl/strings/str_cat.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace minic::format {

static constexpr const char *kSuffix = ".minic-part";

static absl::Status cannotWrite(int error, const std::string &path) {
  return absl::ErrnoToStatus(error, absl::StrCat("cannot write '", path, "'"));
}

static std::filesystem::path directoryOf(const std::string &path) {
  std::filesystem::path directory = std::filesystem::path(path).parent_path();
  return directory.empty() ? "." : directory;
}

static std::string prefixOf(const std::string &path) {
  return absl::StrCat(".", std::filesystem::path(path).filename().string(),
                      ".");
}

static void removeOrphans(const std::string &path) {
  std::string prefix = prefixOf(path);
  std::error_code error;
  std::filesystem::directory_iterator entry(directoryOf(path), error), end;
  for (; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.compare(0, prefix.size(), prefix) != 0 ||
        name.size() < prefix.size() + sizeof(".minic-part") - 1 ||
        name.compare(name.size() - (sizeof(".minic-part") - 1),
                     std::string::npos, kSuffix) != 0) {
      continue;
    }
    int fd = ::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
      continue;
    }
    // A live owner locks its file before it gives it a size. One without size
    // is an orphan if there is no such process.
    int owner = std::atoi(name.c_str() + prefix.size());
    struct stat info;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &info) == 0 &&
        (info.st_size > 0 ||
         (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH))) {
      ::unlink(entry->path().c_str());
    }
    ::close(fd);
  }
}

absl::StatusOr<TemporaryFile> TemporaryFile::create(const std::string &path,
                                                    uint64_t bytes) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "cannot write '", path, "': it exists and is not a regular file"));
  }
  removeOrphans(path);
  static std::atomic<unsigned> serial = 0;
  TemporaryFile file;
  file.path_ = path;
  std::string temporary =
      (directoryOf(path) / absl::StrCat(prefixOf(path), getpid(), "-",
                                        serial.fetch_add(1), kSuffix))
          .string();
  file.fd_ =
      ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file.fd_ < 0) {
    return cannotWrite(errno, path);
  }
  file.temporary_ = temporary;
  if (flock(file.fd_, LOCK_EX | LOCK_NB) != 0 ||
      ftruncate(file.fd_, bytes) != 0) {
    return cannotWrite(errno, path);
  }
  // Reserved now, a full disk is an error here and not a fault while writing.
  if (int error = posix_fallocate(file.fd_, 0, bytes)) {
    return cannotWrite(error, path);
  }
  void *map =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd_, 0);
  if (map == MAP_FAILED) {
    return cannotWrite(errno, path);
  }
  file.data_ = static_cast<std::byte *>(map);
  file.bytes_ = bytes;
  return file;
}

TemporaryFile::TemporaryFile(TemporaryFile &&other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, "")),
      fd_(std::exchange(other.fd_, -1)),
      data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

TemporaryFile::~TemporaryFile() {
  if (data_) {
    munmap(data_, bytes_);
  }
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
  }
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

absl::Status TemporaryFile::write(uint64_t offset,
                                  absl::Span<const std::byte> bytes,
                                  bool startSync) {
  // Less than this is not worth a call.
  constexpr uint64_t leastSynced = 256 << 10;
  for (size_t done = 0; done < bytes.size();) {
    ssize_t written = ::pwrite(fd_, bytes.data() + done, bytes.size() - done,
                               off_t(offset + done));
    if (written < 0 && errno != EINTR) {
      return cannotWrite(errno, path_);
    }
    done += written < 0 ? 0 : size_t(written);
  }
  if (startSync && bytes.size() >= leastSynced) {
    // A hint: fsync is what promises.
    (void)::sync_file_range(fd_, off_t(offset), off_t(bytes.size()),
                            SYNC_FILE_RANGE_WRITE);
  }
  return absl::OkStatus();
}

absl::Status TemporaryFile::publish(bool durable) {
  if (durable && (msync(data_, bytes_, MS_SYNC) != 0 || fsync(fd_) != 0)) {
    return cannotWrite(errno, path_);
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return cannotWrite(errno, path_);
  }
  temporary_.clear();
  if (durable) {
    // The file is complete either way; this only makes its name durable.
    int directory =
        ::open(directoryOf(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
      fsync(directory);
      ::close(directory);
    }
  }
  return absl::OkStatus();
}

} // namespace minic::format
