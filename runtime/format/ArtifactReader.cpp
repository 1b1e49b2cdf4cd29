// SPDX-License-Identifier: Apache-2.0
//
// Checks the container: digest, header, section table, checksums, FlatBuffers
// structure. MetadataChecker checks what the metadata says.

#include "runtime/format/ArtifactReader.h"

#include "runtime/format/MetadataChecker.h"

#include "absl/strings/str_cat.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace minic::format {

static const char *sectionName(uint32_t kind) {
  switch (SectionKind(kind)) {
  case SectionKind::metadata:
    return "metadata";
  case SectionKind::binaries:
    return "binaries";
  case SectionKind::constants:
    return "constants";
  case SectionKind::model:
    return "model";
  }
  return "unknown";
}

/// Damage: the bytes are not those that the writer wrote.
template <typename... Args> static absl::Status damaged(const Args &...args) {
  return absl::DataLossError(absl::StrCat("damaged artifact: ", args...));
}

static absl::StatusOr<FileHeader>
readHeader(absl::Span<const std::byte> bytes) {
  FileHeader header;
  if (bytes.size() < sizeof(kMagic) ||
      std::memcmp(bytes.data(), kMagic, sizeof(kMagic)) != 0) {
    return absl::InvalidArgumentError(
        "not a minic artifact: wrong magic bytes");
  }
  if (bytes.size() < sizeof(header)) {
    return damaged("header: expected ", sizeof(header), " bytes, got ",
                   bytes.size());
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.majorVersion != kMajorVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("artifact format version: expected ", kMajorVersion,
                     ".x, got ", header.majorVersion, ".", header.minorVersion,
                     "; compile the model again with a minic of this version"));
  }
  if (header.fileBytes != bytes.size()) {
    return damaged("file size: expected ", header.fileBytes, " bytes, got ",
                   bytes.size());
  }
  uint64_t tableBytes = uint64_t(header.sectionCount) * sizeof(SectionEntry);
  if (header.sectionCount > kMaxSections ||
      tableBytes > bytes.size() - sizeof(header)) {
    return damaged("section count: got ", header.sectionCount);
  }
  FileHeader zeroed = header;
  zeroed.headerChecksum = 0;
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, &zeroed, sizeof(zeroed));
  XXH3_64bits_update(&state, bytes.data() + sizeof(header), tableBytes);
  if (XXH3_64bits_digest(&state) != header.headerChecksum) {
    return damaged("header: checksum does not match");
  }
  return header;
}

absl::Status ArtifactReader::checkContent() {
  absl::StatusOr<FileHeader> header = readHeader(bytes_);
  if (!header.ok()) {
    return header.status();
  }
  minorVersion_ = header->minorVersion;
  uint64_t end =
      sizeof(FileHeader) + header->sectionCount * sizeof(SectionEntry);
  bool seen[4] = {};
  for (uint32_t i = 0; i < header->sectionCount; ++i) {
    SectionEntry entry;
    std::memcpy(&entry,
                bytes_.data() + sizeof(FileHeader) + i * sizeof(SectionEntry),
                sizeof(entry));
    const char *name = sectionName(entry.kind);
    if (entry.offset % kSectionAlignment != 0 || entry.offset < end ||
        entry.offset > bytes_.size() ||
        entry.bytes > bytes_.size() - entry.offset) {
      return damaged(name, " section: offset ", entry.offset, " and size ",
                     entry.bytes, " do not lie within [", end, ", ",
                     bytes_.size(), ") at a multiple of ", kSectionAlignment);
    }
    end = entry.offset + entry.bytes;
    absl::Span<const std::byte> content =
        bytes_.subspan(entry.offset, entry.bytes);
    if (XXH3_64bits(content.data(), content.size()) != entry.checksum) {
      return damaged(name, " section: checksum does not match");
    }
    if (entry.kind < 1 || entry.kind > 4) {
      continue; // of a newer minor version, which allows it to be ignored
    }
    if (seen[entry.kind - 1]) {
      return damaged(name, " section: expected one, got two");
    }
    seen[entry.kind - 1] = true;
    sections_[entry.kind - 1] = content;
  }
  for (uint32_t kind = 1; kind <= 3; ++kind) {
    if (!seen[kind - 1]) {
      return damaged(sectionName(kind), " section: missing");
    }
  }

  absl::Span<const std::byte> metadata = section(SectionKind::metadata);
  const auto *data = reinterpret_cast<const uint8_t *>(metadata.data());
  flatbuffers::Verifier verifier(data, metadata.size());
  if (!VerifyArtifactBuffer(verifier)) {
    return damaged("metadata section: not a valid FlatBuffer of minic");
  }
  metadata_ = GetArtifact(data);
  return checkMetadata(*metadata_, {section(SectionKind::binaries).size(),
                                    section(SectionKind::constants).size()});
}

static absl::Status atPath(const std::string &path, absl::Status status) {
  return absl::Status(status.code(),
                      absl::StrCat("'", path, "': ", status.message()));
}

Digest ArtifactReader::digest() const {
  return digest_ ? *digest_ : digestOf(bytes_);
}

absl::Status ArtifactReader::checkDigest(const Digest &expected) const {
  Digest got = digest();
  if (got != expected) {
    return absl::InvalidArgumentError(absl::StrCat(
        "digest: expected ", toString(expected), ", got ", toString(got)));
  }
  return absl::OkStatus();
}

absl::Status ArtifactReader::check(const std::optional<Digest> &expected) {
  if (expected) {
    digest_ = digestOf(bytes_);
    if (absl::Status status = checkDigest(*expected); !status.ok()) {
      return status;
    }
  }
  return checkContent();
}

absl::StatusOr<ArtifactReader>
ArtifactReader::open(const std::string &path,
                     const std::optional<Digest> &expected) {
  absl::StatusOr<runtime::MappedFile> file = runtime::MappedFile::open(path);
  if (!file.ok()) {
    return file.status();
  }
  ArtifactReader reader;
  reader.file_ = std::move(*file);
  reader.bytes_ = reader.file_.bytes();
  if (absl::Status status = reader.check(expected); !status.ok()) {
    return atPath(path, status);
  }
  return reader;
}

absl::StatusOr<ArtifactReader>
ArtifactReader::copy(absl::Span<const std::byte> bytes, const std::string &name,
                     const std::optional<Digest> &expected) {
  absl::StatusOr<runtime::AlignedBuffer> memory =
      runtime::AlignedBuffer::create(bytes.size());
  if (!memory.ok()) {
    return memory.status();
  }
  if (!bytes.empty()) {
    std::memcpy(memory->data(), bytes.data(), bytes.size());
  }
  ArtifactReader reader;
  reader.memory_ = std::move(*memory);
  reader.bytes_ = {reader.memory_.data(), bytes.size()};
  if (absl::Status status = reader.check(expected); !status.ok()) {
    return atPath(name, status);
  }
  return reader;
}

absl::Span<const std::byte> ArtifactReader::section(SectionKind kind) const {
  return sections_[uint32_t(kind) - 1];
}

absl::Span<const std::byte> ArtifactReader::binary(uint32_t index) const {
  const Binary *binary = metadata_->binaries()->Get(index);
  return section(SectionKind::binaries)
      .subspan(binary->offset(), binary->bytes());
}

absl::Span<const std::byte> ArtifactReader::constant(uint32_t index) const {
  const Constant *constant = metadata_->constants()->Get(index);
  return section(SectionKind::constants)
      .subspan(constant->offset(), constant->bytes());
}

} // namespace minic::format
