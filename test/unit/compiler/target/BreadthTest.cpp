// SPDX-License-Identifier: Apache-2.0
//
// Every legal schedule of the families of a CPU, beside those that a search is
// offered.

#include "compiler/target/Candidates.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "gtest/gtest.h"

#include <set>

namespace minic {
namespace {

using Names = std::set<std::string>;

Names namesOf(ParsedFusion &parsed, const Target &target, Breadth breadth) {
  std::vector<std::string> why;
  Names names;
  for (const Candidate &candidate :
       enumerateCandidates(parsed.get(), target, {BackendLabel::Generated}, why,
                           NanPolicy::Mark, /*deterministic=*/false,
                           OperandLayouts::Any, breadth)) {
    EXPECT_TRUE(names.insert(candidate.name).second) << candidate.name;
  }
  return names;
}

/// How many schedules there are beyond those that a search is offered, which
/// are all among them.
size_t countOthers(ParsedFusion &&parsed, const Target &target) {
  Names offered = namesOf(parsed, target, Breadth::Promising),
        all = namesOf(parsed, target, Breadth::All);
  for (const std::string &name : offered) {
    EXPECT_EQ(all.count(name), 1u) << name;
  }
  return all.size() - offered.size();
}

ParsedFusion linear(const std::string &m, const std::string &n,
                    const std::string &k, const std::string &dtype) {
  auto type = [&](const std::string &dims) {
    return "tensor<" + dims + "x" + dtype + ">";
  };
  std::string x = type(m + "x" + k), w = type(n + "x" + k),
              y = type(m + "x" + n);
  return ParsedFusion({x, w}, y,
                      "%y = graph.linear %0, %1 : (" + x + ", " + w + ") -> " +
                          y + "\nkernel.yield %y : " + y);
}

ParsedFusion softmax(const std::string &type) {
  return ParsedFusion({type}, type,
                      "%y = graph.softmax %0 axis = 1 : " + type +
                          "\nkernel.yield %y : " + type);
}

ParsedFusion attention(const std::string &type) {
  return ParsedFusion({type, type, type}, type,
                      "%y = graph.attention %0, %1, %2 : (" + type + ", " +
                          type + ", " + type + ") -> " + type +
                          "\nkernel.yield %y : " + type);
}

ParsedFusion relu(const std::string &type) {
  return ParsedFusion({type}, type,
                      "%y = graph.relu %0 : " + type +
                          "\nkernel.yield %y : " + type);
}

class BreadthTest : public testing::Test {
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
