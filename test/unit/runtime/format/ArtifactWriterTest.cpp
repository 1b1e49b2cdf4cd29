// SPDX-License-Identifier: Apache-2.0
//
// The file appears whole or not at all, and nothing stays beside it.

#include "runtime/format/ArtifactWriter.h"
#include "runtime/format/ArtifactReader.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace minic::format {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using namespace ::minic::testing;

class ArtifactWriterTest : public ::testing::Test {
protected:
  void SetUp() override {
    directory =
        ::testing::TempDir() + "minic-writer-" + std::to_string(getpid());
    std::filesystem::remove_all(directory);
    std::filesystem::create_directory(directory);
    path = directory + "/model.minic";
    artifact.constant("w", {3}, {1, 2, 3});
    metadata = artifact.metadataBytes();
    contents.metadata = metadata;
    contents.binaries = artifact.binaries;
    contents.constantsBytes = artifact.constants.size();
    contents.writeConstants = [this](const AppendBytes &append) {
      absl::Span<const std::byte> bytes = artifact.constants;
      absl::Status status = append(bytes.first(5));
      status.Update(append({}));
      status.Update(append(bytes.subspan(5)));
      return status;
    };
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(directory)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  std::string directory, path;
  TestArtifact artifact = scaleArtifact(8);
  std::vector<std::byte> metadata;
  ArtifactContents contents;
};

TEST_F(ArtifactWriterTest, writesAFileThatReadsBack) {
  for (Durability durability : {Durability::durable, Durability::volatile_}) {
    absl::Status status = writeArtifact(path, contents, durability);
    ASSERT_TRUE(status.ok()) << status;
    auto reader = ArtifactReader::open(path);
    ASSERT_TRUE(reader.ok()) << reader.status();
    EXPECT_EQ(reader->constant(0), artifact.constants);
    EXPECT_THAT(files(), UnorderedElementsAre("model.minic"));
  }
}

TEST_F(ArtifactWriterTest, writesTheSameBytesAsInMemory) {
  ASSERT_TRUE(writeArtifact(path, contents).ok());
  std::ifstream file(path, std::ios::binary);
  std::string written{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> expected = artifact.bytes();
  ASSERT_EQ(written.size(), expected.size());
  EXPECT_EQ(std::memcmp(written.data(), expected.data(), expected.size()), 0);
}

TEST_F(ArtifactWriterTest, leavesTheOldFileWhenFillingFails) {
  std::ofstream(path) << "old";
  contents.writeConstants = [](const AppendBytes &) {
    return absl::DataLossError("weights are gone");
  };
  EXPECT_THAT(std::string(writeArtifact(path, contents).message()),
              HasSubstr("weights are gone"));
  std::string text;
  std::ifstream(path) >> text;
  EXPECT_EQ(text, "old");
  EXPECT_THAT(files(), UnorderedElementsAre("model.minic"));
}

TEST_F(ArtifactWriterTest, refusesAnotherSizeThanWasSaid) {
  for (size_t bytes : {size_t(8), artifact.constants.size() + 1}) {
    std::vector<std::byte> written(bytes);
    contents.writeConstants = [&](const AppendBytes &append) {
      return append(written);
    };
    EXPECT_EQ(writeArtifact(path, contents).code(),
              absl::StatusCode::kInternal);
    EXPECT_THAT(files(), ::testing::IsEmpty());
  }
}

TEST_F(ArtifactWriterTest, refusesUnsoundContents) {
  artifact.metadata.constants[0]->offset = 1 << 20;
  metadata = artifact.metadataBytes();
  contents.metadata = metadata;
  EXPECT_EQ(writeArtifact(path, contents).code(), absl::StatusCode::kInternal);
  EXPECT_THAT(files(), ::testing::IsEmpty());
}

TEST_F(ArtifactWriterTest, saysWhereItCannotWrite) {
  absl::Status status = writeArtifact(directory + "/no/model.minic", contents);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/no/model.minic"));
  status = writeArtifact(directory, contents);
  EXPECT_THAT(std::string(status.message()), HasSubstr("not a regular file"));
  status = writeArtifact("/dev/full", contents);
  EXPECT_THAT(std::string(status.message()), HasSubstr("not a regular file"));
  EXPECT_THAT(files(), ::testing::IsEmpty());
}

TEST_F(ArtifactWriterTest, removesWhatKilledWritersLeft) {
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    contents.writeConstants = [](const AppendBytes &) -> absl::Status {
      raise(SIGKILL);
      return absl::OkStatus();
    };
    (void)writeArtifact(path, contents);
    _exit(1);
  }
  int status;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(files().size(), 1u);
  EXPECT_NE(files()[0], "model.minic");
  ASSERT_TRUE(writeArtifact(path, contents).ok());
  EXPECT_THAT(files(), UnorderedElementsAre("model.minic"));
}

TEST_F(ArtifactWriterTest, removesFilesOfTheDeadThatHaveNoSizeYet) {
  pid_t dead = fork();
  ASSERT_GE(dead, 0);
  if (dead == 0) {
    _exit(0);
  }
  waitpid(dead, nullptr, 0);
  auto touch = [&](pid_t owner) {
    std::string name =
        ".model.minic." + std::to_string(owner) + "-0.minic-part";
    std::ofstream(directory + "/" + name).close();
    return name;
  };
  touch(dead);
  // The parent may be about to give its file a size.
  std::string other = touch(getppid());
  ASSERT_TRUE(writeArtifact(path, contents).ok());
  EXPECT_THAT(files(), UnorderedElementsAre("model.minic", other));
}

TEST_F(ArtifactWriterTest, leavesWhatLiveWritersHave) {
  // While one writer fills its constants, another writes the same path.
  ArtifactContents inner = contents;
  auto write = contents.writeConstants;
  contents.writeConstants = [&](const AppendBytes &append) {
    EXPECT_TRUE(writeArtifact(path, inner).ok());
    EXPECT_EQ(files().size(), 2u);
    return write(append);
  };
  ASSERT_TRUE(writeArtifact(path, contents).ok());
  EXPECT_THAT(files(), UnorderedElementsAre("model.minic"));
}

} // namespace
} // namespace minic::format
