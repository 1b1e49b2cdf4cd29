// SPDX-License-Identifier: Apache-2.0
//
// TemporaryDirectory: a folder of our own, gone with its owner.

#ifndef MINIC_TOOLS_COMMON_TEMPORARYDIRECTORY_H
#define MINIC_TOOLS_COMMON_TEMPORARYDIRECTORY_H

#include "absl/status/statusor.h"

#include <string>

namespace minic::tools {

/// Under $TMPDIR or /tmp. Move-only; removed with all that is in it.
class TemporaryDirectory {
public:
  static absl::StatusOr<TemporaryDirectory> create();
  TemporaryDirectory(TemporaryDirectory &&other) noexcept
      : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryDirectory &operator=(TemporaryDirectory &&) = delete;
  ~TemporaryDirectory();

  const std::string &path() const { return path_; }

private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

} // namespace minic::tools

#endif // MINIC_TOOLS_COMMON_TEMPORARYDIRECTORY_H
