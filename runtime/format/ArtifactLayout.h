// SPDX-License-Identifier: Apache-2.0
//
// The container of a .minic file: a fixed header, a table of sections, then
// the sections, each starting at a multiple of 64 bytes with zeros between.
// Everything is little-endian. docs/artifact-format.md describes the same.

#ifndef MINIC_RUNTIME_FORMAT_ARTIFACTLAYOUT_H
#define MINIC_RUNTIME_FORMAT_ARTIFACTLAYOUT_H

#include <cstdint>

namespace minic::format {

/// As PNG's: a byte with the top bit set and both line endings, so that a
/// transfer that changes text is noticed at once.
inline constexpr unsigned char kMagic[8] = {0x89, 'M',  'N',  'C',
                                            '\r', '\n', 0x1a, '\n'};

/// A runtime reads artifacts of its own major version. A newer minor version
/// only adds section kinds and metadata fields that may be ignored, or that an
/// older runtime refuses (since 2.4 tensor maps of images).
inline constexpr uint32_t kMajorVersion = 2;
inline constexpr uint32_t kMinorVersion = 4;

inline constexpr uint64_t kSectionAlignment = 64;
inline constexpr uint32_t kMaxSections = 64;

enum class SectionKind : uint32_t {
  metadata = 1,  // FlatBuffers, plan.fbs
  binaries = 2,  // Binary.offset counts from its start
  constants = 3, // Constant.offset counts from its start
  model = 4,     // the graph as MLIR bytecode, for minic-run --check; optional
};

struct FileHeader {
  unsigned char magic[8];
  uint32_t majorVersion;
  uint32_t minorVersion;
  uint32_t sectionCount;
  uint32_t reserved; // zero
  uint64_t fileBytes;
  /// XXH3-64 of this header with this field zero, then of the section table.
  uint64_t headerChecksum;
};
static_assert(sizeof(FileHeader) == 40);

/// `sectionCount` of these follow the header, in ascending offset.
struct SectionEntry {
  uint32_t kind;
  uint32_t reserved; // zero
  uint64_t offset;   // bytes from the start of the file
  uint64_t bytes;
  uint64_t checksum; // XXH3-64 of the section's bytes
};
static_assert(sizeof(SectionEntry) == 32);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_ARTIFACTLAYOUT_H
