// SPDX-License-Identifier: Apache-2.0
//
// .npy files: what NumPy writes is read, what is written is what NumPy would,
// and malformed files are refused with a reason.

#include "runtime/measure/NpyFile.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;

std::string path() {
  return testing::TempDir() + "/npy-" + std::to_string(getpid()) + ".npy";
}

void spill(const std::string &content) {
  std::ofstream(path(), std::ios::binary) << content;
}

std::string slurp() {
  std::ostringstream content;
  content << std::ifstream(path(), std::ios::binary).rdbuf();
  return content.str();
}

/// A version 1 file, its header as given.
std::string npy(const std::string &dict, const std::string &data) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += char(dict.size() & 0xff);
  file += char(dict.size() >> 8);
  return file + dict + data;
}

std::string dict(const std::string &descr, const std::string &shape,
                 const std::string &order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }\n";
}

TEST(NpyFileTest, RoundTripsEveryDtype) {
  for (DType dtype : {DType::i1, DType::i8, DType::i32, DType::i64, DType::f16,
                      DType::bf16, DType::f32}) {
    std::vector<int64_t> dims = {2, 3, 1};
    std::string data(6 * elementBytes(dtype), '\1');
    data[1] = 0;
    ASSERT_TRUE(writeNpy(path(), {data.data(), dtype, dims}).ok());
    auto array = readNpy(path(), dtype == DType::bf16);
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->dtype, dtype);
    EXPECT_EQ(array->dims, dims);
    EXPECT_EQ(std::memcmp(array->data.data(), data.data(), data.size()), 0);
  }
}

TEST(NpyFileTest, RoundTripsAwkwardShapes) {
  float values[3] = {1, 2, 3};
  for (std::vector<int64_t> dims :
       {std::vector<int64_t>{}, {3}, {1, 1, 1, 1, 3}, {0}, {4, 0, 2}}) {
    ASSERT_TRUE(writeNpy(path(), {values, DType::f32, dims}).ok());
    auto array = readNpy(path());
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->dims, dims);
  }
}

TEST(NpyFileTest, WritesWhatNumPyDoes) {
  float values[3] = {1, 2, 3};
  std::vector<int64_t> dims = {3};
  ASSERT_TRUE(writeNpy(path(), {values, DType::f32, dims}).ok());
  std::string file = slurp();
  EXPECT_EQ(file.size(), 128u + 12);
  EXPECT_EQ(file.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(file.substr(10, 58),
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } ");
  EXPECT_EQ(file[127], '\n');
}

TEST(NpyFileTest, ReadsVersionsTwoAndThreeAndAnyQuotes) {
  std::string header =
      "{\"shape\": (2 , ), \"descr\": \"<f4\", \"fortran_order\": True}";
  for (char version : {'\2', '\3'}) {
    std::string file = std::string("\x93NUMPY") + version + '\0';
    uint32_t length = uint32_t(header.size());
    file.append(reinterpret_cast<char *>(&length), 4);
    spill(file + header + std::string(8, '\0'));
    auto array = readNpy(path());
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->dims, std::vector<int64_t>{2});
  }
}

TEST(NpyFileTest, RefusesWithAReason) {
  struct Case {
    std::string file;
    const char *says;
  };
  std::string eight(8, '\0');
  for (const Case &c : {
           Case{"", "not a .npy file"},
           Case{"PK\x03\x04 something else", "not a .npy file"},
           Case{std::string("\x93NUMPY\x09\x00\x10\x00 ", 11), "version 9"},
           Case{std::string("\x93NUMPY\x02\x00\x10\x00", 10), "truncated"},
           Case{std::string("\x93NUMPY\x01\x00\xff\xff{", 11), "truncated"},
           Case{npy("", ""), "malformed header"},
           Case{npy("{}", ""), "malformed header"},
           Case{npy("{'descr': '<f4'", ""), "malformed header"},
           Case{npy(dict("<f4", "(2"), eight), "malformed header"},
           Case{npy(dict("<f4", "(-2,)"), eight), "malformed header"},
           Case{npy(dict("<f4", "(99999999999999999999,)"), eight),
                "malformed header"},
           Case{npy(dict("<f4", "(2,)", "Maybe"), eight), "malformed header"},
           Case{npy(dict("<f4", "(2,)") + "{}", eight), "malformed header"},
           Case{npy(dict("<f4", "(3,)"), eight), "does not fit its 8 bytes"},
           Case{npy(dict("<f4", "(1,)"), eight), "does not fit"},
           Case{npy(dict("<f4", "(4611686018427387904, 4)"), ""),
                "does not fit"},
           Case{npy(dict("<f8", "(1,)"), eight), "'<f8' is none of"},
           Case{npy(dict(">f4", "(2,)"), eight), "'>f4' is none of"},
           Case{npy(dict("<u2", "(4,)"), eight), "--dtype=bf16"},
           Case{npy(dict("<f4", "(1, 2)", "True"), eight), "column-major"},
       }) {
    spill(c.file);
    auto array = readNpy(path());
    ASSERT_FALSE(array.ok()) << c.says;
    EXPECT_THAT(std::string(array.status().message()), HasSubstr(c.says));
    EXPECT_THAT(std::string(array.status().message()), HasSubstr(path()));
  }
  EXPECT_EQ(readNpy("/nonexistent.npy").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(NpyFileTest, EveryTruncationIsRefused) {
  float values[3] = {1, 2, 3};
  std::vector<int64_t> dims = {3};
  ASSERT_TRUE(writeNpy(path(), {values, DType::f32, dims}).ok());
  std::string whole = slurp();
  for (size_t size = 0; size < whole.size(); ++size) {
    spill(whole.substr(0, size));
    EXPECT_FALSE(readNpy(path()).ok()) << size;
  }
}

TEST(NpyFileTest, UnwritableLeavesNothing) {
  float value = 1;
  EXPECT_FALSE(writeNpy("/nonexistent/y.npy", {&value, DType::f32, {}}).ok());
  EXPECT_TRUE(writeNpy("/dev/null", {&value, DType::f32, {}}).ok());
}

} // namespace
} // namespace minic::runtime
