// SPDX-License-Identifier: Apache-2.0
//
// MappedFile: a whole file as read-only memory.

#ifndef MINIC_RUNTIME_BASE_MAPPEDFILE_H
#define MINIC_RUNTIME_BASE_MAPPEDFILE_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstddef>
#include <string>

namespace minic::runtime {

/// Page-aligned and private; move-only. A file that is truncated by someone
/// else while it is mapped faults on access: replace artifacts by rename, as
/// the compiler does.
class MappedFile {
public:
  /// NotFound, PermissionDenied or InvalidArgument (a directory) with the path
  /// and the system's reason. An empty file maps to no bytes.
  static absl::StatusOr<MappedFile> open(const std::string &path);

  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  absl::Span<const std::byte> bytes() const { return bytes_; }

private:
  absl::Span<const std::byte> bytes_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_BASE_MAPPEDFILE_H
