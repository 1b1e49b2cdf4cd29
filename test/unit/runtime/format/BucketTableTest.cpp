// SPDX-License-Identifier: Apache-2.0
//
// Which bucket takes a run.

#include "runtime/format/BucketTable.h"

#include <gmock/gmock.h>

namespace minic::format {
namespace {

using ::testing::ElementsAre;

struct Dim {
  const char *name;
  bool isPadded;
};

/// Buckets are functions 10, 11 and so on.
class BucketTableTest : public ::testing::Test {
protected:
  void make(const std::vector<Dim> &dims,
            const std::vector<std::vector<int64_t>> &buckets) {
    EntryT entry;
    entry.name = "main";
    for (const Dim &dim : dims) {
      auto each = std::make_unique<EntryDimT>();
      each->name = dim.name;
      each->places.push_back(std::make_unique<DimPlaceT>());
      entry.dims.push_back(std::move(each));
    }
    for (size_t i = 0; i < buckets.size(); ++i) {
      auto bucket = std::make_unique<BucketT>();
      bucket->function = 10 + i;
      bucket->sizes = buckets[i];
      entry.buckets.push_back(std::move(bucket));
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i].isPadded) {
        entry.dims[i]->result_axes = {0};
      }
    }
    builder.Finish(Entry::Pack(builder, &entry));
    auto created = BucketTable::create(
        *flatbuffers::GetRoot<Entry>(builder.GetBufferPointer()));
    ASSERT_TRUE(created.ok()) << created.status();
    table = *std::move(created);
  }

  /// "2", "2 padded", or what is wrong.
  std::string find(std::vector<int64_t> sizes) {
    BucketTable::Found found;
    std::copy(sizes.begin(), sizes.end(), found.sizes.begin());
    if (!table.find(found)) {
      return std::string(table.describeUnknown(sizes).message());
    }
    return std::to_string(found.bucket) + (found.isPadded ? " padded" : "");
  }

  flatbuffers::FlatBufferBuilder builder;
  BucketTable table;
};

TEST_F(BucketTableTest, takesListedSizes) {
  make({{"T", false}}, {{4}, {12}, {40}});
  EXPECT_THAT(table.dims()[0].sizes, ElementsAre(4, 12, 40));
  EXPECT_FALSE(table.isPadded());
  EXPECT_EQ(table.function(1), 11u);
  EXPECT_EQ(find({4}), "0");
  EXPECT_EQ(find({12}), "1");
  EXPECT_EQ(find({40}), "2");
  EXPECT_EQ(find({5}), "no plan for T=5: expected T to be 4, 12, 40");
}

TEST_F(BucketTableTest, padsToTheNextLarger) {
  make({{"T", true}}, {{4}, {12}, {40}});
  EXPECT_TRUE(table.isPadded());
  for (int64_t size = 1; size <= 40; ++size) {
    std::string bucket = size <= 4 ? "0" : size <= 12 ? "1" : "2";
    bool isListed = size == 4 || size == 12 || size == 40;
    EXPECT_EQ(find({size}), bucket + (isListed ? "" : " padded")) << size;
  }
  EXPECT_EQ(find({41}), "no plan for T=41: expected T to be 1 to 40");
  EXPECT_EQ(find({0}), "no plan for T=0: expected T to be 1 to 40");
}

TEST_F(BucketTableTest, padsToTheFewestElements) {
  // Ascending as tuples: 2x64 has more elements than 4x16.
  make({{"B", true}, {"T", true}}, {{1, 16}, {2, 64}, {4, 16}, {8, 64}});
  EXPECT_EQ(find({2, 16}), "2 padded");
  EXPECT_EQ(find({2, 17}), "1 padded");
  EXPECT_EQ(find({4, 17}), "3 padded");
  EXPECT_EQ(find({4, 16}), "2");
  EXPECT_EQ(find({9, 1}), "no plan for B=9: expected B to be 1 to 8");
}

TEST_F(BucketTableTest, padsOnlyWhatMayBe) {
  make({{"B", false}, {"T", true}}, {{1, 16}, {2, 8}, {2, 64}});
  EXPECT_EQ(find({2, 9}), "2 padded");
  EXPECT_EQ(find({1, 9}), "0 padded");
  EXPECT_EQ(find({1, 17}),
            "no plan for B,T=1,17: expected 1,16 or 2,8 or 2,64");
}

TEST_F(BucketTableTest, hasAtMostSixteenDimensions) {
  EntryT entry;
  entry.name = "main";
  for (int i = 0; i < 17; ++i) {
    entry.dims.push_back(std::make_unique<EntryDimT>());
    entry.dims.back()->name = "d";
  }
  builder.Finish(Entry::Pack(builder, &entry));
  EXPECT_EQ(BucketTable::create(
                *flatbuffers::GetRoot<Entry>(builder.GetBufferPointer()))
                .status()
                .message(),
            "entry 'main': expected at most 16 dimensions, got 17");
}

} // namespace
} // namespace minic::format
