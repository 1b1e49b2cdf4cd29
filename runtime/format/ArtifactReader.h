// SPDX-License-Identifier: Apache-2.0
//
// ArtifactReader: a checked view of a .minic file.

#ifndef MINIC_RUNTIME_FORMAT_ARTIFACTREADER_H
#define MINIC_RUNTIME_FORMAT_ARTIFACTREADER_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/base/MappedFile.h"
#include "runtime/format/ArtifactLayout.h"
#include "runtime/format/Digest.h"
#include "runtime/format/plan_generated.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <optional>
#include <string>

namespace minic::format {

/// Owns the bytes; immutable and thread-safe. Whatever opens is sound: every
/// index, offset, size and address of the metadata has been checked, so users
/// of metadata() need no checks of their own. Checksums catch damage, not
/// malice: the kernels inside are code.
class ArtifactReader {
public:
  /// NotFound or PermissionDenied for the file itself, InvalidArgument for what
  /// is no artifact or one of another major version, DataLoss for a damaged
  /// one. Messages are one line: path, field, expected, got. With `expected`
  /// any other file is InvalidArgument, and nothing else of it is read.
  static absl::StatusOr<ArtifactReader>
  open(const std::string &path,
       const std::optional<Digest> &expected = std::nullopt);
  /// The same from memory, which is copied; `name` stands for the path.
  static absl::StatusOr<ArtifactReader>
  copy(absl::Span<const std::byte> bytes, const std::string &name,
       const std::optional<Digest> &expected = std::nullopt);

  /// InvalidArgument where the file is another one than `expected`.
  absl::Status checkDigest(const Digest &expected) const;
  /// Of the file; reads all of it, unless it was compared when it was opened.
  Digest digest() const;

  const Artifact &metadata() const { return *metadata_; }
  uint32_t minorVersion() const { return minorVersion_; }
  /// Empty if the file has no such section.
  absl::Span<const std::byte> section(SectionKind kind) const;
  absl::Span<const std::byte> binary(uint32_t index) const;
  /// Bytes of a constant that is not external, 64-byte aligned.
  absl::Span<const std::byte> constant(uint32_t index) const;

private:
  /// Compares the digest, then checks the content.
  absl::Status check(const std::optional<Digest> &expected);
  absl::Status checkContent();

  runtime::MappedFile file_;
  runtime::AlignedBuffer memory_;
  absl::Span<const std::byte> bytes_;
  std::optional<Digest> digest_; // where it was compared
  uint32_t minorVersion_ = 0;
  absl::Span<const std::byte> sections_[4];
  const Artifact *metadata_ = nullptr;
};

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_ARTIFACTREADER_H
