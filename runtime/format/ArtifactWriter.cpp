// SPDX-License-Identifier: Apache-2.0
//
// Lays the sections out and fills them in place, in memory or in a mapped
// file. TemporaryFile is what makes the result appear at once or not at all.

#include "runtime/format/ArtifactWriter.h"

#include "runtime/format/ArtifactLayout.h"
#include "runtime/format/MetadataChecker.h"
#include "runtime/format/TemporaryFile.h"

#include "absl/strings/str_cat.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace minic::format {

namespace {

struct Sections {
  std::vector<SectionEntry> entries;
  uint64_t fileBytes;
};

uint64_t aligned(uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment *
         kSectionAlignment;
}

Sections layOut(const ArtifactContents &contents) {
  Sections layout;
  auto add = [&](SectionKind kind, uint64_t bytes) {
    layout.entries.push_back({uint32_t(kind), 0, 0, bytes, 0});
  };
  add(SectionKind::metadata, contents.metadata.size());
  add(SectionKind::binaries, contents.binaries.size());
  if (!contents.model.empty()) {
    add(SectionKind::model, contents.model.size());
  }
  add(SectionKind::constants, contents.constantsBytes);
  uint64_t end =
      sizeof(FileHeader) + layout.entries.size() * sizeof(SectionEntry);
  for (SectionEntry &entry : layout.entries) {
    entry.offset = aligned(end);
    end = entry.offset + entry.bytes;
  }
  layout.fileBytes = end;
  return layout;
}

/// Writes everything to `file`: layout.fileBytes zeroed bytes.
absl::Status fillSections(const ArtifactContents &contents, Sections &layout,
                          std::byte *file) {
  for (SectionEntry &entry : layout.entries) {
    std::byte *destination = file + entry.offset;
    absl::Span<const std::byte> source;
    switch (SectionKind(entry.kind)) {
    case SectionKind::metadata:
      source = contents.metadata;
      break;
    case SectionKind::binaries:
      source = contents.binaries;
      break;
    case SectionKind::model:
      source = contents.model;
      break;
    case SectionKind::constants:
      if (entry.bytes != 0) {
        if (absl::Status status = contents.fillConstants(destination);
            !status.ok()) {
          return status;
        }
      }
      break;
    }
    if (!source.empty()) {
      std::memcpy(destination, source.data(), source.size());
    }
    entry.checksum = XXH3_64bits(destination, entry.bytes);
  }
  FileHeader header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.majorVersion = kMajorVersion;
  header.minorVersion = kMinorVersion;
  header.sectionCount = layout.entries.size();
  header.fileBytes = layout.fileBytes;
  uint64_t tableBytes = layout.entries.size() * sizeof(SectionEntry);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, &header, sizeof(header));
  XXH3_64bits_update(&state, layout.entries.data(), tableBytes);
  header.headerChecksum = XXH3_64bits_digest(&state);
  std::memcpy(file, &header, sizeof(header));
  std::memcpy(file + sizeof(header), layout.entries.data(), tableBytes);
  return absl::OkStatus();
}

/// Refuses what a reader would refuse: then the caller made wrong sections.
absl::Status checkContents(const ArtifactContents &contents) {
  const auto *data =
      reinterpret_cast<const uint8_t *>(contents.metadata.data());
  flatbuffers::Verifier verifier(data, contents.metadata.size());
  if (!VerifyArtifactBuffer(verifier)) {
    return absl::InternalError("artifact metadata is not a valid FlatBuffer");
  }
  absl::Status status = checkMetadata(
      *GetArtifact(data), {contents.binaries.size(), contents.constantsBytes});
  return status.ok() ? status : absl::InternalError(status.message());
}

} // namespace

absl::Status writeArtifact(const std::string &path,
                           const ArtifactContents &contents,
                           Durability durability) {
  if (absl::Status status = checkContents(contents); !status.ok()) {
    return status;
  }
  Sections layout = layOut(contents);
  absl::StatusOr<TemporaryFile> file =
      TemporaryFile::create(path, layout.fileBytes);
  if (!file.ok()) {
    return file.status();
  }
  if (absl::Status status = fillSections(contents, layout, file->data());
      !status.ok()) {
    return status;
  }
  return file->publish(durability == Durability::durable);
}

absl::StatusOr<std::vector<std::byte>>
serializeArtifact(const ArtifactContents &contents) {
  Sections layout = layOut(contents);
  std::vector<std::byte> bytes(layout.fileBytes);
  if (absl::Status status = fillSections(contents, layout, bytes.data());
      !status.ok()) {
    return status;
  }
  return bytes;
}

} // namespace minic::format
