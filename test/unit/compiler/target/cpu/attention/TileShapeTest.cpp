// SPDX-License-Identifier: Apache-2.0
//
// How queries are divided into tiles, and which schedules are tried.

#include "compiler/target/cpu/attention/TileShape.h"

#include "compiler/target/cpu/CpuProfile.h"
#include "mlir/IR/Builders.h"

#include "gmock/gmock.h"

namespace minic::cpu {
namespace {

class TileShapeTest : public testing::Test {
protected:
  AttentionFusion attention(int64_t heads, int64_t keyHeads, int64_t rows,
                            int64_t keys) {
    AttentionFusion body;
    body.batch = 1;
    body.heads = heads;
    body.keyHeads = keyHeads;
    body.rows = rows;
    body.keys = keys;
    body.depth = body.valueDepth = 64;
    mlir::Type f32 = mlir::Float32Type::get(&context);
    body.query.storage = body.key.storage = body.value.storage = f32;
    body.result.storage = f32;
    body.key.strides = body.value.strides = {0, keys * 64, 64, 1};
    return body;
  }

  mlir::MLIRContext context;
};

TEST_F(TileShapeTest, TilesDifferByOneVector) {
  AttentionTiles tiles(attention(12, 12, 197, 197), {64, 6, 128});
  EXPECT_EQ(tiles.count(), 12 * 4);
  EXPECT_EQ(tiles.tallTiles, 1);
  ASSERT_EQ(tiles.shapes.size(), 2u);
  EXPECT_EQ(tiles.shapes[0].rows, 64);
  EXPECT_EQ(tiles.shapes[1].rows, 48);
  EXPECT_EQ(tiles.shapes[0].blockKeys, 126);
}

TEST_F(TileShapeTest, HeadsThatShareKeysShareTiles) {
  AttentionTiles tiles(attention(32, 4, 1, 100), {64, 6, 512});
  EXPECT_EQ(tiles.groupRows, 8);
  EXPECT_EQ(tiles.count(), 4);
  ASSERT_EQ(tiles.shapes.size(), 1u);
  EXPECT_EQ(tiles.shapes[0].rows, 16);
  EXPECT_EQ(tiles.shapes[0].blockKeys, 102) << "all keys in one block";
}

TEST_F(TileShapeTest, AFewQueriesHaveALineEach) {
  AttentionTiles tiles(attention(9, 1, 1, 100), {4, 16, 512});
  EXPECT_EQ(tiles.count(), 3);
  ASSERT_EQ(tiles.shapes.size(), 1u);
  EXPECT_EQ(tiles.shapes[0].rows, 3);
  EXPECT_EQ(tiles.shapes[0].blockKeys, 112);
  EXPECT_EQ(tiles.shapes[0].scoreStrideOfRow(), 112);
}

TEST_F(TileShapeTest, RowsThatMeetInFewSetsAreCopied) {
  AttentionFusion body = attention(12, 12, 64, 128);
  EXPECT_FALSE(TileShape(body, {64, 6, 128}, 64).copiesValues);
  body.value.strides[2] = 12 * 64; // heads beside each other
  EXPECT_TRUE(TileShape(body, {64, 6, 128}, 64).copiesValues);
  EXPECT_FALSE(TileShape(body, {4, 16, 128}, 4).copiesValues);
}

TEST_F(TileShapeTest, AMaskOfKeysAloneIsNotPacked) {
  AttentionFusion body = attention(4, 4, 32, 64);
  EXPECT_EQ(getMaskKind(body), MaskKind::None);
  body.mask.emplace();
  body.mask->storage = mlir::IntegerType::get(&context, 1);
  body.mask->strides = {0, 64, 0, 1};
  EXPECT_EQ(getMaskKind(body), MaskKind::PerKey);
  int64_t bytes = AttentionTiles(body, {32, 12, 64}).scratchBytes();
  body.keyHeads = 2; // a tile has queries of two heads
  EXPECT_EQ(getMaskKind(body), MaskKind::PerRow);
  body.keyHeads = 4;
  body.mask->strides = {0, 0, 64, 1};
  EXPECT_EQ(getMaskKind(body), MaskKind::PerRow);
  EXPECT_GT(AttentionTiles(body, {32, 12, 64}).scratchBytes(), bytes);
}

TEST_F(TileShapeTest, CausalCostsAboutHalf) {
  DeviceProfile profile = getCpuProfile(1, "v4");
  AttentionFusion body = attention(12, 12, 512, 512);
  double all = enumerateSchedules(body, profile).front().us;
  body.causal = graph::Causal::UpperLeft;
  double half = enumerateSchedules(body, profile).front().us;
  EXPECT_GT(half, 0.45 * all);
  EXPECT_LT(half, 0.65 * all);
}

TEST_F(TileShapeTest, SchedulesFitTheQueries) {
  DeviceProfile profile = getCpuProfile(2, "v4");
  for (const auto &each :
       enumerateSchedules(attention(2, 2, 20, 40), profile)) {
    EXPECT_LE(each.schedule.rows, 32);
    EXPECT_EQ(each.schedule.keys, 40);
  }
  EXPECT_LE(enumerateSchedules(attention(12, 12, 999, 999), profile).size(),
            8u);
}

} // namespace
} // namespace minic::cpu
