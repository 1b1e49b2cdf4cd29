// SPDX-License-Identifier: Apache-2.0
//
// Round trip, versions, and what is not an artifact.

#include "runtime/format/ArtifactReader.h"
#include "test/unit/runtime/testing/Reseal.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

#include <cstring>

namespace minic::format {
namespace {

using ::testing::HasSubstr;
using namespace ::minic::testing;

absl::StatusOr<ArtifactReader> read(const std::vector<std::byte> &bytes) {
  return ArtifactReader::copy(bytes, "test");
}

TestArtifact complete() {
  TestArtifact artifact = scaleArtifact(20);
  artifact.constant("w", {3}, {1, 2, 3});
  artifact.constant("b", {2}, {4, 5});
  artifact.model.assign(37, std::byte(0x4d));
  return artifact;
}

TEST(ArtifactReaderTest, readsWhatWasWritten) {
  TestArtifact artifact = complete();
  auto reader = read(artifact.bytes());
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ(reader->minorVersion(), kMinorVersion);
  EXPECT_EQ(reader->metadata().compiler()->str(), "minic test");
  EXPECT_EQ(reader->section(SectionKind::model), artifact.model);
  EXPECT_EQ(reader->binary(0), artifact.binaries);
  absl::Span<const std::byte> b = reader->constant(1);
  ASSERT_EQ(b.size(), 8u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b.data()) % 64, 0u);
  float values[2];
  std::memcpy(values, b.data(), 8);
  EXPECT_EQ(values[1], 5);
}

TEST(ArtifactReaderTest, hasNoModelWhereNoneWasWritten) {
  auto reader = read(scaleArtifact(4).bytes());
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_TRUE(reader->section(SectionKind::model).empty());
}

TEST(ArtifactReaderTest, survivesAMove) {
  auto reader = read(complete().bytes());
  ASSERT_TRUE(reader.ok()) << reader.status();
  ArtifactReader moved = std::move(*reader);
  EXPECT_EQ(moved.metadata().functions()->size(), 1u);
  EXPECT_EQ(moved.constant(0).size(), 12u);
}

TEST(ArtifactReaderTest, refusesWhatIsNoArtifact) {
  std::vector<std::byte> bytes = complete().bytes();
  bytes[1] = std::byte('X');
  absl::Status status = read(bytes).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("'test': not a minic artifact"));
  EXPECT_EQ(read({}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ArtifactReaderTest, refusesAnotherMajorVersion) {
  std::vector<std::byte> bytes = complete().bytes();
  FileHeader &header = headerOf(bytes);
  header.majorVersion = kMajorVersion + 1;
  header.minorVersion = 3;
  reseal(bytes);
  absl::Status status = read(bytes).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("expected 2.x, got 3.3"));
}

TEST(ArtifactReaderTest, readsANewerMinorVersionAndItsSections) {
  std::vector<std::byte> bytes = complete().bytes();
  headerOf(bytes).minorVersion = kMinorVersion + 1;
  for (uint32_t i = 0; i < headerOf(bytes).sectionCount; ++i) {
    if (sectionOf(bytes, i).kind == uint32_t(SectionKind::model)) {
      sectionOf(bytes, i).kind = 77;
    }
  }
  reseal(bytes);
  auto reader = read(bytes);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ(reader->minorVersion(), kMinorVersion + 1);
  EXPECT_TRUE(reader->section(SectionKind::model).empty());
}

TEST(ArtifactReaderTest, refusesSectionsOutOfPlace) {
  struct Case {
    const char *what;
    void (*change)(std::vector<std::byte> &bytes);
    const char *message;
  } cases[] = {
      {"offset beyond the file",
       [](auto &bytes) { sectionOf(bytes, 1).offset = uint64_t(1) << 40; },
       "binaries section: offset"},
      {"size that wraps around",
       [](auto &bytes) { sectionOf(bytes, 1).bytes = ~uint64_t(0) - 63; },
       "binaries section: offset"},
      {"offset inside the header",
       [](auto &bytes) { sectionOf(bytes, 0).offset = 64; },
       "metadata section: offset"},
      {"offset that is not aligned",
       [](auto &bytes) { sectionOf(bytes, 1).offset += 4; },
       "binaries section: offset"},
      {"section that overlaps the one before",
       [](auto &bytes) {
         sectionOf(bytes, 1).offset = sectionOf(bytes, 0).offset;
       },
       "binaries section: offset"},
      {"section that is there twice",
       [](auto &bytes) {
         sectionOf(bytes, 1).kind = uint32_t(SectionKind::metadata);
       },
       "metadata section: expected one, got two"},
      {"missing section", [](auto &bytes) { sectionOf(bytes, 1).kind = 99; },
       "binaries section: missing"},
      {"more sections than the file has room for",
       [](auto &bytes) { headerOf(bytes).sectionCount = 60000; },
       "section count: got 60000"},
      {"another size than the file's",
       [](auto &bytes) { headerOf(bytes).fileBytes += 1; }, "file size"},
  };
  for (const Case &each : cases) {
    std::vector<std::byte> bytes = complete().bytes();
    each.change(bytes);
    reseal(bytes);
    absl::Status status = read(bytes).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << each.what;
    EXPECT_THAT(std::string(status.message()), HasSubstr(each.message))
        << each.what;
  }
}

TEST(ArtifactReaderTest, refusesMetadataThatIsNotAFlatBuffer) {
  std::vector<std::byte> bytes = complete().bytes();
  std::memset(bytes.data() + sectionOf(bytes, 0).offset, 0xff, 32);
  reseal(bytes);
  EXPECT_THAT(std::string(read(bytes).status().message()),
              HasSubstr("not a valid FlatBuffer"));
}

} // namespace
} // namespace minic::format
