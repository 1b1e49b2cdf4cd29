// SPDX-License-Identifier: Apache-2.0
//
// What measured relayouts do to a choice of layouts.

#include "passes/graph/layouts/ChooseLayouts.h"
#include "dialects/RegisterDialects.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <map>

using namespace mlir;

namespace minic::graph {
namespace {

/// Convolutions take 100 us in NCHW and 40 in NHWC; relayouts are expected to
/// take 10, and take what a test says, by channels of the image.
class FakeCosts final : public LayoutCosts {
public:
  std::map<int64_t, double> takes;
  std::map<int64_t, int> timesMeasured;

  double blockUs(Block &block) override {
    if (auto conv = dyn_cast<Conv2dOp>(block.back())) {
      return conv.getLayout() == ImageLayout::NCHW ? 100 : 40;
    }
    auto known = measured.find(channelsOf(block));
    return known == measured.end() ? 10 : known->second;
  }

  std::optional<double> measuredUs(Block &block) override {
    int64_t channels = channelsOf(block);
    auto found = takes.find(channels);
    if (found == takes.end()) {
      return std::nullopt;
    }
    ++timesMeasured[channels];
    return measured[channels] = found->second;
  }

private:
  /// Of the image that the block's transpose reads, whichever way it goes.
  static int64_t channelsOf(Block &block) {
    auto shape =
        cast<RankedTensorType>(block.getArgument(0).getType()).getShape();
    return std::min(shape[1], shape[3]);
  }

  std::map<int64_t, double> measured;
};

/// Two convolutions in NCHW between a caller's images of 3 and 5 channels; the
/// image between them has 4.
const char *const model = R"(
func.func @main(%x: tensor<1x3x8x8xf32>, %v: tensor<4x3x1x1xf32>,
                %w: tensor<5x4x1x1xf32>) -> tensor<1x5x8x8xf32> {
  %0 = graph.conv2d %x, %v : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>)
    -> tensor<1x4x8x8xf32>
  %1 = graph.conv2d %0, %w : (tensor<1x4x8x8xf32>, tensor<5x4x1x1xf32>)
    -> tensor<1x5x8x8xf32>
  return %1 : tensor<1x5x8x8xf32>
})";

class ChooseLayoutsTest : public ::testing::Test {
protected:
  ChooseLayoutsTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = parseSourceString<ModuleOp>(model, &context);
  }

  /// The layouts of both convolutions, "nhwc nhwc".
  std::string choose() {
    Block &block =
        cast<func::FuncOp>(module->getBody()->front()).getBody().front();
    ImageDomain domain(block);
    choice = chooseLayouts(block, domain, costs);
    std::string text;
    for (auto conv : block.getOps<Conv2dOp>()) {
      text += (text.empty() ? "" : " ") +
              stringifyImageLayout(choice.layouts.at(conv)).str();
    }
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  FakeCosts costs;
  LayoutChoice choice;
};

TEST_F(ChooseLayoutsTest, GoesByEstimatesWhereNothingIsMeasured) {
  EXPECT_EQ(choose(), "nhwc nhwc");
  EXPECT_TRUE(choice.measured.empty());
}

TEST_F(ChooseLayoutsTest, MeasuresTheRelayoutsItHas) {
  costs.takes = {{3, 12}, {4, 1}, {5, 9}};
  EXPECT_EQ(choose(), "nhwc nhwc");
  EXPECT_EQ(choice.measured.size(), 2u);
  EXPECT_EQ(costs.timesMeasured.count(4), 0u) << "it is not relaid";
}

/// The first one stays: a relayout between the two was expected to take less.
TEST_F(ChooseLayoutsTest, ChoosesAgain) {
  costs.takes = {{3, 500}, {4, 12}, {5, 9}};
  EXPECT_EQ(choose(), "nchw nhwc");
  EXPECT_EQ(choice.measured.size(), 2u);
  EXPECT_EQ(choice.relayoutUs.size(), 3u);
}

/// Each measurement makes another choice worse.
TEST_F(ChooseLayoutsTest, EndsWhereEveryRelayoutIsTooSlow) {
  costs.takes = {{3, 500}, {4, 500}, {5, 500}};
  EXPECT_EQ(choose(), "nchw nchw");
  EXPECT_TRUE(choice.measured.empty()) << "none is left";
}

} // namespace
} // namespace minic::graph
