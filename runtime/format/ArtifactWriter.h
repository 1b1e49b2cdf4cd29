// SPDX-License-Identifier: Apache-2.0
//
// ArtifactWriter: puts finished sections into a .minic file.

#ifndef MINIC_RUNTIME_FORMAT_ARTIFACTWRITER_H
#define MINIC_RUNTIME_FORMAT_ARTIFACTWRITER_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace minic::format {

struct ArtifactContents {
  /// A finished FlatBuffer of plan.fbs with its file identifier.
  absl::Span<const std::byte> metadata;
  absl::Span<const std::byte> binaries;
  /// Size of the constants section, and the function that fills it. It is
  /// called once with zeroed, 64-byte-aligned memory of that size, which is the
  /// file itself; its failure is passed on. It may be null if the section is
  /// empty.
  uint64_t constantsBytes = 0;
  std::function<absl::Status(std::byte *constants)> fillConstants;
  /// MLIR bytecode; empty: no such section.
  absl::Span<const std::byte> model;
};

enum class Durability {
  durable,  // survives a power failure once written
  volatile_ // for files that are read back at once and thrown away
};

/// Writes to a temporary file beside `path` and renames it, so that `path` has
/// all of the artifact or is untouched, whenever the process dies. Temporary
/// files that dead processes left there are removed. The sections are checked
/// as a reader would: Internal where they are unsound (the caller's fault).
/// Otherwise the system's error with the path.
absl::Status writeArtifact(const std::string &path,
                           const ArtifactContents &contents,
                           Durability durability = Durability::durable);

/// The same bytes in memory, unchecked.
absl::StatusOr<std::vector<std::byte>>
serializeArtifact(const ArtifactContents &contents);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_ARTIFACTWRITER_H
