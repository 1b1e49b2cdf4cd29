// SPDX-License-Identifier: Apache-2.0
//
// A file is known by its place, size and time.

#include "runtime/measure/ExpectedOutputsCache.h"

#include "absl/strings/str_cat.h"

#include <sys/stat.h>

namespace minic::runtime {

/// Differs for another file and for another content; empty where there is none.
static std::string fileKey(const std::string &path) {
  struct stat file;
  if (::stat(path.c_str(), &file) != 0) {
    return "";
  }
  return absl::StrCat(path, " ", file.st_dev, " ", file.st_ino, " ",
                      file.st_size, " ", file.st_mtim.tv_sec, ".",
                      file.st_mtim.tv_nsec);
}

absl::StatusOr<const std::vector<ExpectedOutput> *>
ExpectedOutputsCache::read(const std::string &path) {
  std::string found = fileKey(path);
  if (found.empty() || found != key) {
    key.clear();
    absl::StatusOr<std::vector<ExpectedOutput>> read =
        readExpectedOutputs(path);
    if (!read.ok()) {
      return read.status();
    }
    outputs = *std::move(read);
    key = found;
  }
  return &outputs;
}

} // namespace minic::runtime
