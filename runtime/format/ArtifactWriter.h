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

/// Takes the next bytes of a section. Pieces of a megabyte are written at once
/// and need no memory of their own, whatever the size of the section.
using AppendBytes = std::function<absl::Status(absl::Span<const std::byte>)>;

struct ArtifactContents {
  /// A finished FlatBuffer of plan.fbs with its file identifier.
  absl::Span<const std::byte> metadata;
  absl::Span<const std::byte> binaries;
  /// Size of the constants section, and the function that gives its bytes, from
  /// first to last. It is called once; its failure is passed on. It may be null
  /// if the section is empty.
  uint64_t constantsBytes = 0;
  std::function<absl::Status(const AppendBytes &append)> writeConstants;
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
