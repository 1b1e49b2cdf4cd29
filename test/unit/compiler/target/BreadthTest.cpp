// SPDX-License-Identifier: Apache-2.0
//
// Every legal schedule of the families of a CPU, beside those that a search is
// offered.

#include "test/unit/compiler/target/Breadth.h"

namespace minic {
namespace {

using namespace ::minic::testing;

class BreadthTest : public ::testing::Test {
protected:
  std::unique_ptr<Target> one = createCpuTarget(/*threads=*/1, "v4"),
                          two = createCpuTarget(/*threads=*/2, "v3");
};

TEST_F(BreadthTest, AGemmHasHundredsOfSchedules) {
  // Of 8 tiles, 2 ways to pack, 4 blocks, 2 orders; equal code counts once.
  EXPECT_GT(countOthers(linear("256", "1024", "512", "f32"), *one), 100u);
  EXPECT_GT(countOthers(linear("256", "1024", "512", "f32"), *two), 40u);
  EXPECT_GT(countOthers(linear("4", "96", "64", "f32"), *one), 0u);
}

TEST_F(BreadthTest, ThreadsAreInTheSpace) {
  auto threads = createCpuTarget(/*threads=*/2, "v4");
  EXPECT_GT(countOthers(linear("256", "1024", "512", "f32"), *threads),
            2 * countOthers(linear("256", "1024", "512", "f32"), *one));
}

TEST_F(BreadthTest, SoHaveTheOtherFamilies) {
  EXPECT_GT(countOthers(softmax("tensor<512x1024xf32>"), *one), 4u);
  EXPECT_GT(countOthers(relu("tensor<512x1024xf32>"), *one), 4u);
  // However large a tile, a transposed operand leaves several of them.
  EXPECT_GT(
      countOthers(ParsedFusion({"tensor<512x1024xf32>"}, "tensor<1024x512xf32>",
                               "%y = graph.transpose %0 [1, 0] : "
                               "tensor<512x1024xf32> -> "
                               "tensor<1024x512xf32>\nkernel.yield %y : "
                               "tensor<1024x512xf32>"),
                  *one),
      4u);
  EXPECT_GT(countOthers(attention("tensor<2x8x128x64xf32>"), *one), 10u);
  std::string x = "tensor<1x28x28x64xf32>", w = "tensor<128x64x3x3xf32>",
              y = "tensor<1x28x28x128xf32>";
  EXPECT_GT(
      countOthers(
          ParsedFusion({x, w}, y,
                       "%y = graph.conv2d %0, %1 {strides = array<i64: 1, 1>, "
                       "pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: "
                       "1, 1>, groups = 1 : i64, layout = \"nhwc\"} : (" +
                           x + ", " + w + ") -> " + y +
                           "\nkernel.yield %y : " + y),
          *one),
      10u);
}

} // namespace
} // namespace minic
