// SPDX-License-Identifier: Apache-2.0
//
// Which ops along rows oneDNN takes, and the calls that it writes for them.

#include "compiler/target/cpu/onednn/OnednnRows.h"

#include "test/unit/compiler/target/cpu/LoweredFusion.h"
#include "test/unit/compiler/target/cpu/onednn/OnednnProfile.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace minic::cpu {
namespace {

const OnednnRows kRows;

/// `op` of %0, a tensor of type `x`, to one of type `y`.
ParsedFusion body(const std::string &op, const std::string &x,
                  const std::string &y,
                  const std::vector<std::string> &more = {}) {
  std::vector<std::string> arguments = {x};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return ParsedFusion(arguments, y, "%r = " + op + "\nkernel.yield %r : " + y);
}

ParsedFusion softmax(const std::string &type, int axis) {
  return body("graph.softmax %0 axis = " + std::to_string(axis) + " : " + type,
              type, type);
}

std::string reasonFor(ParsedFusion &&parsed) {
  return kRows.reject(parsed.get(), onednnProfile(1)).value_or("accepted");
}

/// The call that is written for `parsed`.
struct Lowered {
  explicit Lowered(ParsedFusion &parsed) : plan(parsed.get().getContext()) {
    kernel::FusionOp fusion = parsed.get();
    EXPECT_EQ(kRows.reject(fusion, onednnProfile(1)), std::nullopt);
    auto implementations = kRows.enumerate(fusion, onednnProfile(1));
    EXPECT_EQ(implementations.size(), 1u);
    fusion.setImplAttr(implementations.front().impl);
    lost = kRows.opsThatLoseNan(fusion);
    EXPECT_TRUE(succeeded(kRows.lower(fusion, plan)));
    call = onlyOp<plan::CallOp>(*plan.module).getDescriptor();
  }
  std::vector<int64_t> dims(const char *role) {
    return call.view(role).getDims().asArrayRef().vec();
  }
  int64_t integer(const char *name) {
    return mlir::cast<mlir::IntegerAttr>(call.attribute(name)).getInt();
  }

  RecordingPlanBuilder plan;
  plan::LibraryCallAttr call;
  std::string lost;
};

TEST(OnednnRowsTest, RowsOfSeveralDimensionsAreOne) {
  ParsedFusion parsed = softmax("tensor<2x3x4x5xf32>", 3);
  Lowered lowered(parsed);
  EXPECT_EQ(lowered.call.getOp().str(), "softmax");
  EXPECT_THAT(lowered.dims("input"), ElementsAre(24, 5));
  EXPECT_THAT(lowered.dims("result"), ElementsAre(24, 5));
  EXPECT_EQ(lowered.integer("axis"), 1);
  EXPECT_EQ(lowered.lost, "softmax");
}

TEST(OnednnRowsTest, OneRow) {
  ParsedFusion parsed = softmax("tensor<7xf32>", 0);
  Lowered lowered(parsed);
  EXPECT_THAT(lowered.dims("input"), ElementsAre(7));
  EXPECT_EQ(lowered.integer("axis"), 0);
}

TEST(OnednnRowsTest, ANormOverSeveralDimensions) {
  ParsedFusion parsed =
      body("graph.layer_norm %0 scale %1 axis = 1 : "
           "(tensor<2x3x4xf32>, tensor<3x4xf32>) -> "
           "tensor<2x3x4xf32>",
           "tensor<2x3x4xf32>", "tensor<2x3x4xf32>", {"tensor<3x4xf32>"});
  Lowered lowered(parsed);
  EXPECT_EQ(lowered.call.getOp().str(), "layer_norm");
  EXPECT_THAT(lowered.dims("input"), ElementsAre(2, 12));
  EXPECT_THAT(lowered.dims("scale"), ElementsAre(12));
  EXPECT_EQ(lowered.lost, "");
}

TEST(OnednnRowsTest, AReduction) {
  ParsedFusion parsed =
      body("graph.reduce max, %0 [1, 2] : tensor<2x3x4xf32> -> "
           "tensor<2xf32>",
           "tensor<2x3x4xf32>", "tensor<2xf32>");
  Lowered lowered(parsed);
  EXPECT_EQ(lowered.call.getOp().str(), "reduction");
  EXPECT_THAT(lowered.dims("input"), ElementsAre(2, 12));
  EXPECT_THAT(lowered.dims("result"), ElementsAre(2, 1));
  EXPECT_EQ(lowered.lost, "max");
}

TEST(OnednnRowsTest, SaysWhatItDoesNotTake) {
  EXPECT_EQ(reasonFor(softmax("tensor<4x5xf32>", 1)), "accepted");
  EXPECT_THAT(reasonFor(softmax("tensor<4x5xf32>", 0)),
              HasSubstr("not contiguous"));
  EXPECT_THAT(reasonFor(softmax("tensor<4x5xf16>", 1)),
              HasSubstr("f32 and bf16 alone"));
  EXPECT_THAT(reasonFor(softmax("tensor<4x5xbf16>", 1)),
              HasSubstr("rounds exponentials to bf16"));
  EXPECT_THAT(reasonFor(softmax("tensor<0x5xf32>", 1)),
              HasSubstr("no elements"));
  EXPECT_THAT(reasonFor(body("graph.layer_norm %0 scale %1 axis = 1 : "
                             "(tensor<2x4xbf16>, tensor<4xbf16>) -> "
                             "tensor<2x4xbf16>",
                             "tensor<2x4xbf16>", "tensor<2x4xbf16>",
                             {"tensor<4xbf16>"})),
              HasSubstr("scale and bias of f32 alone"));
  EXPECT_THAT(reasonFor(body("graph.reduce sum, %0 [0, 2] : tensor<2x3x4xf32> "
                             "-> tensor<3xf32>",
                             "tensor<2x3x4xf32>", "tensor<3xf32>")),
              HasSubstr("not contiguous"));
  EXPECT_THAT(reasonFor(body("graph.reduce sum, %0 [1] : tensor<2x1xf32> -> "
                             "tensor<2xf32>",
                             "tensor<2x1xf32>", "tensor<2xf32>")),
              HasSubstr("a reduction of one element"));
  EXPECT_THAT(reasonFor(body("graph.reduce sum, %0 [1] : tensor<2x3xi32> -> "
                             "tensor<2xi32>",
                             "tensor<2x3xi32>", "tensor<2xi32>")),
              HasSubstr("f32 and bf16 alone"));
  EXPECT_THAT(reasonFor(body("graph.softmax %0 axis = 1 : tensor<4x5xf32>\n"
                             "%s = graph.relu %r : tensor<4x5xf32>",
                             "tensor<4x5xf32>", "tensor<4x5xf32>")),
              HasSubstr("other ops"));
}

} // namespace
} // namespace minic::cpu
