// SPDX-License-Identifier: Apache-2.0
//
// FusionGraph on bodies with several anchors, and accesses behind reshapes and
// transposes: each address is checked against the map, point by point.

#include "dialects/kernel/FusionGraph.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include <gmock/gmock.h>

namespace minic {
namespace {

using kernel::Access;
using kernel::FusionGraph;
using kernel::Stage;
using kernel::StageKind;
using kernel::StageSpace;
using testing::ElementsAre;

FusionGraph graphOf(ParsedFusion &parsed) {
  std::string reason;
  auto graph = FusionGraph::get(parsed.get(), &reason);
  EXPECT_TRUE(succeeded(graph)) << reason;
  return *graph;
}

std::vector<StageKind> kindsOf(const FusionGraph &graph) {
  std::vector<StageKind> kinds;
  for (const Stage &stage : graph.stages) {
    kinds.push_back(stage.kind);
  }
  return kinds;
}

int64_t at(const kernel::LinearIndex &index, llvm::ArrayRef<int64_t> point) {
  int64_t value = index.offset;
  for (auto [stride, i] : llvm::zip_equal(index.strides, point)) {
    value += stride * i;
  }
  return value;
}

/// `access` agrees with its map at every point of `space`; returns how many
/// points are outside of the value.
int64_t checkAccess(const StageSpace &space, const Access &access) {
  auto shape =
      llvm::cast<mlir::RankedTensorType>(access.value.getType()).getShape();
  int64_t outside = 0;
  for (int64_t n = 0; n < llvm::product_of(space.extents); ++n) {
    llvm::SmallVector<int64_t> point(space.extents.size());
    for (int64_t rest = n; size_t i : llvm::reverse(llvm::seq(point.size()))) {
      point[i] = rest % space.extents[i];
      rest /= space.extents[i];
    }
    llvm::SmallVector<int64_t> declared(access.map.getNumDims());
    for (size_t i = 0; i < point.size(); ++i) {
      int64_t &iterator = declared[space.iterators[i]];
      iterator = iterator * space.extents[i] + point[i];
    }
    int64_t expected = 0;
    bool isInside = true, isWithinBounds = true;
    for (auto [index, extent] :
         llvm::zip_equal(access.map.compose(declared), shape)) {
      expected = expected * extent + index;
      isInside &= index >= 0 && index < extent;
    }
    for (const kernel::IndexBound &bound : access.bounds) {
      int64_t index = at(bound.index, point);
      isWithinBounds &= index >= 0 && index < bound.extent;
    }
    EXPECT_EQ(at(*access.address, point), expected);
    EXPECT_EQ(isWithinBounds, isInside);
    outside += !isInside;
  }
  return outside;
}

int64_t checkSpace(const StageSpace &space) {
  int64_t outside = 0;
  for (const Access &access :
       llvm::concat<const Access>(space.reads, space.writes)) {
    EXPECT_TRUE(access.address);
    if (access.address) {
      outside += checkAccess(space, access);
    }
  }
  return outside;
}

TEST(FusionGraphTest, TwoContractionsWithWhatIsBetween) {
  ParsedFusion parsed({"tensor<4x8xf32>", "tensor<6x8xf32>", "tensor<6xf32>",
                       "tensor<3x6xf32>"},
                      "tensor<4x3xf32>", R"(
    %a = graph.linear %0, %1
      : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %b = graph.add %a, %2
      : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    %c = graph.gelu %b : tensor<4x6xf32>
    %d = graph.linear %c, %3
      : (tensor<4x6xf32>, tensor<3x6xf32>) -> tensor<4x3xf32>
    %e = graph.relu %d : tensor<4x3xf32>
    kernel.yield %e : tensor<4x3xf32>)");
  FusionGraph graph = graphOf(parsed);
  EXPECT_THAT(kindsOf(graph),
              ElementsAre(StageKind::Contraction, StageKind::Pointwise,
                          StageKind::Contraction, StageKind::Pointwise));
  EXPECT_EQ(graph.stages[1].ops.size(), 2u);
  StageSpace between = graph.getSpace(graph.stages[1]);
  EXPECT_EQ(between.reads.size(), 2u); // the product and the bias
  EXPECT_EQ(between.writes.size(), 1u);
  for (const Stage &stage : graph.stages) {
    EXPECT_EQ(checkSpace(graph.getSpace(stage)), 0);
  }
}

TEST(FusionGraphTest, ReductionWithPointwiseOpsOnBothSides) {
  ParsedFusion parsed({"tensor<4x8xf32>"}, "tensor<4x8xf32>", R"(
    %a = graph.mul %0, %0 : tensor<4x8xf32>
    %b = graph.reduce mean, %a [1] {keep_dims}
      : tensor<4x8xf32> -> tensor<4x1xf32>
    %c = graph.rsqrt %b : tensor<4x1xf32>
    %d = graph.mul %0, %c
      : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    kernel.yield %d : tensor<4x8xf32>)");
  FusionGraph graph = graphOf(parsed);
  EXPECT_THAT(kindsOf(graph),
              ElementsAre(StageKind::Pointwise, StageKind::Reduction,
                          StageKind::Pointwise, StageKind::Pointwise));
  for (const Stage &stage : graph.stages) {
    EXPECT_EQ(checkSpace(graph.getSpace(stage)), 0);
  }
  StageSpace last = graph.getSpace(graph.stages[3]);
  ASSERT_EQ(last.reads.size(), 2u);
  EXPECT_THAT(last.reads[1].address->strides, ElementsAre(1, 0));
}

TEST(FusionGraphTest, AnOpJoinsAnEarlierStageOfItsShape) {
  ParsedFusion parsed({"tensor<4x8xf32>", "tensor<4x8xf32>"},
                      "(tensor<4xf32>, tensor<4x8xf32>)", R"(
    %a = graph.exp %0 : tensor<4x8xf32>
    %b = graph.reduce sum, %a [1] : tensor<4x8xf32> -> tensor<4xf32>
    %c = graph.mul %a, %1 : tensor<4x8xf32>
    kernel.yield %b, %c : tensor<4xf32>, tensor<4x8xf32>)");
  FusionGraph graph = graphOf(parsed);
  EXPECT_THAT(kindsOf(graph),
              ElementsAre(StageKind::Pointwise, StageKind::Reduction));
  EXPECT_EQ(graph.getSpace(graph.stages[0]).writes.size(), 2u);
}

/// Attention reads [B, T, H * D] as heads: K of the product is one stride, the
/// batch two.
TEST(FusionGraphTest, HeadsAreStridesBehindReshapeAndTranspose) {
  ParsedFusion parsed({"tensor<2x5x12xf32>", "tensor<2x5x12xf32>"},
                      "tensor<2x3x5x5xf32>", R"(
    %a = graph.reshape %0 : tensor<2x5x12xf32> to tensor<2x5x3x4xf32>
    %b = graph.transpose %a [0, 2, 1, 3]
      : tensor<2x5x3x4xf32> -> tensor<2x3x5x4xf32>
    %c = graph.reshape %1 : tensor<2x5x12xf32> to tensor<2x5x3x4xf32>
    %d = graph.transpose %c [0, 2, 1, 3]
      : tensor<2x5x3x4xf32> -> tensor<2x3x5x4xf32>
    %e = graph.matmul %b, %d {transpose_rhs}
      : (tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x5xf32>
    kernel.yield %e : tensor<2x3x5x5xf32>)");
  FusionGraph graph = graphOf(parsed);
  EXPECT_THAT(kindsOf(graph), ElementsAre(StageKind::Contraction));
  StageSpace space = graph.getSpace(graph.stages[0]);
  EXPECT_EQ(checkSpace(space), 0);
  ASSERT_EQ(space.reads.size(), 2u);
  EXPECT_THAT(space.reads[0].address->strides, ElementsAre(60, 4, 12, 0, 1));
  EXPECT_TRUE(llvm::isa<mlir::BlockArgument>(space.reads[0].value));
  EXPECT_EQ(space.reads[1].role, graph::OperandRole::Weight);
}

TEST(FusionGraphTest, MergedHeadsSplitTheDimensionThatReadsThem) {
  ParsedFusion parsed({"tensor<2x3x5x4xf32>", "tensor<6x12xf32>"},
                      "tensor<2x5x6xf32>", R"(
    %a = graph.transpose %0 [0, 2, 1, 3]
      : tensor<2x3x5x4xf32> -> tensor<2x5x3x4xf32>
    %b = graph.reshape %a : tensor<2x5x3x4xf32> to tensor<2x5x12xf32>
    %c = graph.linear %b, %1
      : (tensor<2x5x12xf32>, tensor<6x12xf32>) -> tensor<2x5x6xf32>
    kernel.yield %c : tensor<2x5x6xf32>)");
  FusionGraph graph = graphOf(parsed);
  StageSpace space = graph.getSpace(graph.stages[0]);
  EXPECT_THAT(space.extents, ElementsAre(2, 5, 6, 3, 4)); // K = H * D
  EXPECT_THAT(space.iterators, ElementsAre(0, 1, 2, 3, 3));
  EXPECT_EQ(checkSpace(space), 0);
}

TEST(FusionGraphTest, ConvolutionsAreBoundedWhereTheyArePadded) {
  ParsedFusion parsed({"tensor<1x5x4x4xf32>", "tensor<4x2x3x1xf32>"},
                      "tensor<1x3x4x4xf32>", R"(
    %a = graph.conv2d %0, %1 {layout = "nhwc", groups = 2 : i64,
        strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 0>}
      : (tensor<1x5x4x4xf32>, tensor<4x2x3x1xf32>) -> tensor<1x3x4x4xf32>
    kernel.yield %a : tensor<1x3x4x4xf32>)");
  FusionGraph graph = graphOf(parsed);
  EXPECT_THAT(kindsOf(graph), ElementsAre(StageKind::Convolution));
  StageSpace space = graph.getSpace(graph.stages[0]);
  ASSERT_EQ(space.reads.size(), 2u);
  EXPECT_EQ(space.reads[0].bounds.size(), 1u); // the height alone
  EXPECT_TRUE(space.reads[0].padding);
  // Rows -1 and 5: 4 columns, 4 channels, 2 channels of a group each.
  EXPECT_EQ(checkSpace(space), 2 * 4 * 4 * 2);
}

TEST(FusionGraphTest, AYieldedTransposeIsACopy) {
  ParsedFusion parsed({"tensor<4x8xf32>"}, "tensor<8x4xf32>", R"(
    %a = graph.relu %0 : tensor<4x8xf32>
    %b = graph.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    kernel.yield %b : tensor<8x4xf32>)");
  FusionGraph graph = graphOf(parsed);
  EXPECT_THAT(kindsOf(graph),
              ElementsAre(StageKind::Pointwise, StageKind::Pointwise));
  StageSpace copy = graph.getSpace(graph.stages[1]);
  EXPECT_THAT(copy.reads[0].address->strides, ElementsAre(1, 8));
  EXPECT_THAT(copy.writes[0].address->strides, ElementsAre(4, 1));
}

TEST(FusionGraphTest, SoftmaxIsOneReductionUntilItIsExpanded) {
  ParsedFusion parsed({"tensor<4x8xf32>"}, "tensor<4x8xf32>", R"(
    %a = graph.softmax %0 axis = 0 : tensor<4x8xf32>
    kernel.yield %a : tensor<4x8xf32>)");
  FusionGraph graph = graphOf(parsed);
  EXPECT_THAT(kindsOf(graph), ElementsAre(StageKind::Reduction));
  EXPECT_EQ(checkSpace(graph.getSpace(graph.stages[0])), 0);
}

TEST(FusionGraphTest, RefusesDynamicShapes) {
  ParsedFusion parsed({"tensor<?x8xf32>"}, "tensor<?x8xf32>", R"(
    %a = graph.relu %0 : tensor<?x8xf32>
    kernel.yield %a : tensor<?x8xf32>)");
  std::string reason;
  EXPECT_TRUE(failed(FusionGraph::get(parsed.get(), &reason)));
  EXPECT_EQ(reason, "dynamic shapes are unsupported");
}

} // namespace
} // namespace minic
