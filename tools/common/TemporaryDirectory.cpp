// SPDX-License-Identifier: Apache-2.0
//
// TemporaryDirectory: mkdtemp and remove_all.

#include "tools/common/TemporaryDirectory.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace minic::tools {

absl::StatusOr<TemporaryDirectory> TemporaryDirectory::create() {
  const char *parent = std::getenv("TMPDIR");
  std::string path = absl::StrCat(
      parent != nullptr && *parent != '\0' ? parent : "/tmp", "/minic-XXXXXX");
  if (mkdtemp(path.data()) == nullptr) {
    return absl::PermissionDeniedError(
        absl::StrCat("cannot create a temporary folder '", path,
                     "': ", std::strerror(errno)));
  }
  return TemporaryDirectory(path);
}

TemporaryDirectory::~TemporaryDirectory() {
  if (!path_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
}

} // namespace minic::tools
