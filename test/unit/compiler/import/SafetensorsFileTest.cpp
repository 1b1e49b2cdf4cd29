// SPDX-License-Identifier: Apache-2.0
//
// What a .safetensors file holds, and every way in which one can be wrong.

#include "compiler/import/SafetensorsFile.h"
#include "test/unit/compiler/import/WeightsFolder.h"

#include <gmock/gmock.h>

namespace minic {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char *twoTensors =
    R"({"__metadata__":{"format":"pt"},)"
    R"("w":{"dtype":"F32","shape":[2,1],"data_offsets":[2,10]},)"
    R"("b":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},)"
    R"("none":{"dtype":"I64","shape":[0,7],"data_offsets":[10,10]}})";

class SafetensorsFileTest : public testing::Test {
protected:
  std::shared_ptr<const SafetensorsFile> open(const std::string &header,
                                              const std::string &data) {
    folder.writeWeights("w.safetensors", header, data);
    return SafetensorsFile::open(folder / "w.safetensors", error);
  }
  void expectError(const std::string &header, const std::string &says) {
    error.clear();
    EXPECT_EQ(open(header, std::string(10, 'x')), nullptr) << header;
    EXPECT_THAT(error, HasSubstr(folder / "w.safetensors"));
    EXPECT_THAT(error, HasSubstr(says));
    EXPECT_THAT(error, Not(HasSubstr("\n")));
  }
  static std::string entry(const std::string &fields) {
    return "{\"w\":{" + fields + "}}";
  }

  WeightsFolder folder;
  std::string error;
};

TEST_F(SafetensorsFileTest, EntriesByName) {
  auto file = open(twoTensors, "BBwwwwWWWW");
  ASSERT_TRUE(file) << error;
  EXPECT_EQ(error, "");
  EXPECT_THAT(file->names(), ElementsAre("b", "none", "w"));
  const SafetensorsFile::Entry *w = file->find("w");
  ASSERT_TRUE(w);
  EXPECT_EQ(w->dtype, "F32");
  EXPECT_THAT(w->dims, ElementsAre(2, 1));
  EXPECT_EQ(std::string(w->data.begin(), w->data.end()), "wwwwWWWW");
  EXPECT_THAT(file->find("b")->dims, IsEmpty());
  EXPECT_EQ(std::string(file->find("b")->data.begin(), 2), "BB");
  EXPECT_TRUE(file->find("none")->data.empty());
  EXPECT_EQ(file->find("__metadata__"), nullptr);
  EXPECT_EQ(file->find("W"), nullptr);
}

TEST_F(SafetensorsFileTest, EntriesAreViewsOfOneMapping) {
  auto file = open(twoTensors, "BBwwwwWWWW");
  ASSERT_TRUE(file) << error;
  EXPECT_EQ(file->find("b")->data.data() + 2, file->find("w")->data.data());
}

TEST_F(SafetensorsFileTest, TheHashIsOfTheWholeFile) {
  std::string hash = open(twoTensors, "BBwwwwWWWW")->hash();
  EXPECT_EQ(hash.size(), 16u);
  EXPECT_EQ(open(twoTensors, "BBwwwwWWWW")->hash(), hash);
  EXPECT_NE(open(twoTensors, "BBwwwwWWWX")->hash(), hash);
  EXPECT_NE(open(twoTensors, "BBwwwwWWWW ")->hash(), hash);
}

TEST_F(SafetensorsFileTest, EveryTruncationIsAnError) {
  ASSERT_TRUE(open(twoTensors, "BBwwwwWWWW"));
  std::ifstream stream(folder / "w.safetensors", std::ios::binary);
  std::string whole(std::istreambuf_iterator<char>(stream), {});
  for (size_t size = 0; size < whole.size(); ++size) {
    folder.write("cut.safetensors", whole.substr(0, size));
    EXPECT_EQ(SafetensorsFile::open(folder / "cut.safetensors", error), nullptr)
        << size;
    EXPECT_THAT(error, HasSubstr("cut.safetensors")) << size;
  }
}

TEST_F(SafetensorsFileTest, WhatIsWrongIsSaid) {
  EXPECT_EQ(SafetensorsFile::open(folder / "none", error), nullptr);
  EXPECT_THAT(error, HasSubstr("cannot open"));
  folder.write("length.safetensors", std::string(16, '\xff'));
  EXPECT_EQ(SafetensorsFile::open(folder / "length.safetensors", error),
            nullptr);
  EXPECT_THAT(error, HasSubstr("expected a header of 18446744073709551615"));

  expectError("[]", "is not a JSON object");
  expectError("{", "is not a JSON object");
  expectError(R"({"w":{},"w":{}})", "'w' appears twice");
  expectError(R"({"w":3})", "tensor 'w': expected dtype, shape and data_off");
  expectError(entry(R"("dtype":"F33","shape":[],"data_offsets":[0,4])"),
              "unknown dtype 'F33'");
  expectError(entry(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])"),
              "shape of non-negative integers");
  expectError(entry(R"("dtype":"F32","shape":[1.5],"data_offsets":[0,4])"),
              "shape of non-negative integers");
  expectError(entry(R"("dtype":"F32","shape":[4294967296,4294967296],)"
                    R"("data_offsets":[0,0])"),
              "shape overflows 64 bits");
  expectError(entry(R"("dtype":"F32","shape":[1],"data_offsets":[4,0])"),
              "expected data_offsets [begin, end]");
  expectError(entry(R"("dtype":"F32","shape":[1],"data_offsets":[0])"),
              "expected data_offsets [begin, end]");
  expectError(entry(R"("dtype":"F32","shape":[1],"data_offsets":[0,5])"),
              "expected 4 bytes for its shape and dtype, got 5");
  expectError(entry(R"("dtype":"F32","shape":[3],"data_offsets":[0,12])"),
              "ends at byte 12 of the data, but the file has only 10");
  expectError(R"({"v":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},)"
              R"("w":{"dtype":"I8","shape":[4],"data_offsets":[3,7]}})",
              "'w' overlaps tensor 'v'");
}

} // namespace
} // namespace minic
