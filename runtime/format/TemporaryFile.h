// SPDX-License-Identifier: Apache-2.0
//
// TemporaryFile: memory that becomes a file, whole or not at all.

#ifndef MINIC_RUNTIME_FORMAT_TEMPORARYFILE_H
#define MINIC_RUNTIME_FORMAT_TEMPORARYFILE_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace minic::format {

/// A file of a fixed size beside its final path, mapped for writing and locked
/// while its owner lives. Move-only; destroyed unpublished, it is removed.
class TemporaryFile {
public:
  /// `bytes` zeroed bytes, with their disk space reserved. Removes temporary
  /// files of `path` whose owners died.
  static absl::StatusOr<TemporaryFile> create(const std::string &path,
                                              uint64_t bytes);
  TemporaryFile(TemporaryFile &&other) noexcept;
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile();

  /// All of it, mapped. What is written there is zeroed page by page first.
  std::byte *data() const { return data_; }
  /// Writes `bytes` at `offset`, within its size: cheaper than through data()
  /// for much data. With `startSync` the disk begins to write it.
  absl::Status write(uint64_t offset, absl::Span<const std::byte> bytes,
                     bool startSync);
  /// Renames it to the final path; with `durable`, syncs file and directory.
  absl::Status publish(bool durable);

private:
  TemporaryFile() = default;

  std::string path_, temporary_;
  int fd_ = -1;
  std::byte *data_ = nullptr;
  uint64_t bytes_ = 0;
};

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_TEMPORARYFILE_H
