// SPDX-License-Identifier: Apache-2.0
//
// Lays the sections out and writes them one after another, into memory or a
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

/// Puts bytes at an offset of the artifact.
using WriteAt =
    std::function<absl::Status(uint64_t offset, absl::Span<const std::byte>)>;

/// The parts of `contents` that are there already; empty for constants.
absl::Span<const std::byte> readyBytes(const ArtifactContents &contents,
                                       SectionKind kind) {
  switch (kind) {
  case SectionKind::metadata:
    return contents.metadata;
  case SectionKind::binaries:
    return contents.binaries;
  case SectionKind::model:
    return contents.model;
  case SectionKind::constants:
    break;
  }
  return {};
}

absl::Status writeSection(const ArtifactContents &contents, SectionEntry &entry,
                          const WriteAt &writeAt) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  uint64_t done = 0;
  auto append = [&](absl::Span<const std::byte> bytes) -> absl::Status {
    if (bytes.size() > entry.bytes - done) {
      return absl::InternalError("a section is longer than was said");
    }
    // While the caches have it.
    XXH3_64bits_update(&state, bytes.data(), bytes.size());
    absl::Status status = writeAt(entry.offset + done, bytes);
    done += bytes.size();
    return status;
  };
  absl::Status status;
  if (SectionKind(entry.kind) != SectionKind::constants) {
    status = append(readyBytes(contents, SectionKind(entry.kind)));
  } else if (entry.bytes != 0) {
    status = contents.writeConstants(append);
  }
  if (status.ok() && done != entry.bytes) {
    status = absl::InternalError("a section is shorter than was said");
  }
  entry.checksum = XXH3_64bits_digest(&state);
  return status;
}

absl::Status writeSections(const ArtifactContents &contents, Sections &layout,
                           const WriteAt &writeAt) {
  for (SectionEntry &entry : layout.entries) {
    if (absl::Status status = writeSection(contents, entry, writeAt);
        !status.ok()) {
      return status;
    }
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
  auto bytesOf = [](const void *data, size_t size) {
    return absl::MakeConstSpan(static_cast<const std::byte *>(data), size);
  };
  if (absl::Status status = writeAt(0, bytesOf(&header, sizeof(header)));
      !status.ok()) {
    return status;
  }
  return writeAt(sizeof(header), bytesOf(layout.entries.data(), tableBytes));
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
  bool durable = durability == Durability::durable;
  auto writeAt = [&](uint64_t offset, absl::Span<const std::byte> bytes) {
    return file->write(offset, bytes, /*startSync=*/durable);
  };
  if (absl::Status status = writeSections(contents, layout, writeAt);
      !status.ok()) {
    return status;
  }
  return file->publish(durable);
}

absl::StatusOr<std::vector<std::byte>>
serializeArtifact(const ArtifactContents &contents) {
  Sections layout = layOut(contents);
  std::vector<std::byte> bytes(layout.fileBytes);
  auto writeAt = [&](uint64_t offset, absl::Span<const std::byte> part) {
    if (!part.empty()) {
      std::memcpy(bytes.data() + offset, part.data(), part.size());
    }
    return absl::OkStatus();
  };
  if (absl::Status status = writeSections(contents, layout, writeAt);
      !status.ok()) {
    return status;
  }
  return bytes;
}

} // namespace minic::format
