// SPDX-License-Identifier: Apache-2.0
//
// How the stages of attention are cut, with ops that move its operands.

#include "compiler/target/StageGroups.h"
#include "dialects/kernel/ExpandOps.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;

namespace minic {
namespace {

/// The names of the ops of each group, "product" in front where it is one. Op
/// number `expanded` gives way to its stages.
std::vector<std::string> groupsOf(ParsedFusion &parsed, int64_t expanded) {
  kernel::ExpandedFusion stages(parsed.get(), {expanded});
  auto body = stages.get().getBodyOps();
  std::vector<std::string> texts;
  for (const StageGroup &group : getStageGroups(stages.get())) {
    std::string &text = texts.emplace_back(group.isProduct ? "product" : "");
    for (int64_t op : group.ops) {
      text += text.empty() ? "" : " ";
      text += body[op]->getName().stripDialect();
    }
  }
  return texts;
}

constexpr const char *kStagesBetween =
    "reduce sub exp reduce div compare select";

/// Heads of one shape are one kernel.
TEST(StageGroups, OneGroupForOperandsOfOneShape) {
  ParsedFusion parsed({"tensor<1x5x6x4xf32>"}, "tensor<1x5x2x4xf32>", R"(
    %a = graph.slice %0 [0, 0, 0, 0] to [1, 5, 2, 4] by [1, 1, 1, 1]
      : tensor<1x5x6x4xf32> -> tensor<1x5x2x4xf32>
    %b = graph.slice %0 [0, 0, 2, 0] to [1, 5, 4, 4] by [1, 1, 1, 1]
      : tensor<1x5x6x4xf32> -> tensor<1x5x2x4xf32>
    %c = graph.slice %0 [0, 0, 4, 0] to [1, 5, 6, 4] by [1, 1, 1, 1]
      : tensor<1x5x6x4xf32> -> tensor<1x5x2x4xf32>
    %q = graph.transpose %a [0, 2, 1, 3]
      : tensor<1x5x2x4xf32> -> tensor<1x2x5x4xf32>
    %k = graph.transpose %b [0, 2, 1, 3]
      : tensor<1x5x2x4xf32> -> tensor<1x2x5x4xf32>
    %v = graph.transpose %c [0, 2, 1, 3]
      : tensor<1x5x2x4xf32> -> tensor<1x2x5x4xf32>
    %y = graph.attention %q, %k, %v {scale = 1.0 : f64}
      : (tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>)
      -> tensor<1x2x5x4xf32>
    %z = graph.transpose %y [0, 2, 1, 3]
      : tensor<1x2x5x4xf32> -> tensor<1x5x2x4xf32>
    kernel.yield %z : tensor<1x5x2x4xf32>)");
  EXPECT_THAT(groupsOf(parsed, 6),
              ElementsAre("slice slice slice transpose transpose transpose",
                          "product matmul", kStagesBetween,
                          "product matmul transpose"));
}

/// Heads that share a key: the query is reshaped to rows of one product by the
/// kernel that transposes it.
TEST(StageGroups, AGroupPerShapeOfOperands) {
  ParsedFusion parsed({"tensor<1x5x6x4xf32>"}, "tensor<1x4x5x4xf32>", R"(
    %a = graph.slice %0 [0, 0, 0, 0] to [1, 5, 4, 4] by [1, 1, 1, 1]
      : tensor<1x5x6x4xf32> -> tensor<1x5x4x4xf32>
    %b = graph.slice %0 [0, 0, 4, 0] to [1, 5, 5, 4] by [1, 1, 1, 1]
      : tensor<1x5x6x4xf32> -> tensor<1x5x1x4xf32>
    %c = graph.slice %0 [0, 0, 5, 0] to [1, 5, 6, 4] by [1, 1, 1, 1]
      : tensor<1x5x6x4xf32> -> tensor<1x5x1x4xf32>
    %q = graph.transpose %a [0, 2, 1, 3]
      : tensor<1x5x4x4xf32> -> tensor<1x4x5x4xf32>
    %k = graph.transpose %b [0, 2, 1, 3]
      : tensor<1x5x1x4xf32> -> tensor<1x1x5x4xf32>
    %v = graph.transpose %c [0, 2, 1, 3]
      : tensor<1x5x1x4xf32> -> tensor<1x1x5x4xf32>
    %y = graph.attention %q, %k, %v {scale = 1.0 : f64}
      : (tensor<1x4x5x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>)
      -> tensor<1x4x5x4xf32>
    kernel.yield %y : tensor<1x4x5x4xf32>)");
  EXPECT_THAT(groupsOf(parsed, 6),
              ElementsAre("slice transpose reshape",
                          "slice slice transpose transpose", "product matmul",
                          kStagesBetween, "product matmul"));
}

} // namespace
} // namespace minic
