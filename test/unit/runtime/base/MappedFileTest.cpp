// SPDX-License-Identifier: Apache-2.0
//
// Contents and errors of mapped files.

#include "runtime/base/MappedFile.h"

#include <gmock/gmock.h>

#include <fstream>

namespace minic::runtime {
namespace {

TEST(MappedFileTest, showsTheWholeFile) {
  std::string path = ::testing::TempDir() + "mapped";
  std::ofstream(path) << "five!";
  auto file = MappedFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(file->bytes().size(), 5u);
  EXPECT_EQ(file->bytes()[4], std::byte('!'));
  MappedFile moved = std::move(*file);
  EXPECT_EQ(moved.bytes().size(), 5u);
  EXPECT_TRUE(file->bytes().empty());
}

TEST(MappedFileTest, mapsAnEmptyFileToNothing) {
  std::string path = ::testing::TempDir() + "empty";
  std::ofstream(path) << "";
  auto file = MappedFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->bytes().empty());
}

TEST(MappedFileTest, saysWhatCannotBeOpened) {
  absl::Status missing = MappedFile::open("/no/such/file").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()),
              ::testing::HasSubstr("cannot open '/no/such/file'"));
  EXPECT_EQ(MappedFile::open(::testing::TempDir()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

} // namespace
} // namespace minic::runtime
