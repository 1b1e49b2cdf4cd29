// SPDX-License-Identifier: Apache-2.0
//
// Which convolutions oneDNN takes, and the call that it writes for them.

#include "compiler/target/cpu/onednn/OnednnConvolution.h"

#include "test/unit/compiler/target/cpu/LoweredFusion.h"
#include "test/unit/compiler/target/cpu/onednn/OnednnProfile.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "mlir/IR/Verifier.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

namespace minic::cpu {
namespace {

const OnednnConvolution kPlain(/*fusesEpilogue=*/false);
const OnednnConvolution kFused(/*fusesEpilogue=*/true);

/// A grouped NHWC convolution of 2x9x8x6 to 2x4x7x4, from %0 to %3 with bias,
/// then `epilogue` from %y to %r.
ParsedFusion conv2d(const std::string &epilogue,
                    const std::vector<std::string> &more = {},
                    const std::string &dtype = "f32") {
  std::string x = "tensor<2x9x8x6x" + dtype + ">",
              w = "tensor<4x3x3x2x" + dtype + ">",
              b = "tensor<4x" + dtype + ">",
              y = "tensor<2x4x7x4x" + dtype + ">";
  std::vector<std::string> arguments = {x, w, b};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return ParsedFusion(
      arguments, y,
      "%y = graph.conv2d %0, %1, %2 {layout = \"nhwc\", groups = 2 : i64, "
      "strides = array<i64: 2, 1>, pads = array<i64: 1, 1, 2, 1>, "
      "dilations = array<i64: 2, 3>} : (" +
          x + ", " + w + ", " + b + ") -> " + y + "\n" + epilogue +
          "\nkernel.yield " + (epilogue.empty() ? "%y" : "%r") + " : " + y);
}

std::string reasonFor(const OnednnConvolution &backend, ParsedFusion &&parsed) {
  return backend.reject(parsed.get(), onednnProfile(1)).value_or("accepted");
}

/// The call that `backend` writes for `parsed`.
struct Lowered {
  Lowered(const OnednnConvolution &backend, ParsedFusion &parsed)
      : plan(parsed.get().getContext()) {
    kernel::FusionOp fusion = parsed.get();
    auto implementations = backend.enumerate(fusion, onednnProfile(2));
    EXPECT_EQ(implementations.size(), 1u);
    fusion.setImplAttr(implementations.front().impl);
    EXPECT_TRUE(succeeded(backend.lower(fusion, plan)));
    call = onlyOp<plan::CallOp>(*plan.module);
    EXPECT_TRUE(succeeded(mlir::verify(call)));
    convolution = call.getDescriptor();
  }

  llvm::ArrayRef<int64_t> integers(const char *name) const {
    return mlir::cast<mlir::DenseI64ArrayAttr>(convolution.attribute(name))
        .asArrayRef();
  }
  int64_t integer(const char *name) const {
    return mlir::cast<mlir::IntegerAttr>(convolution.attribute(name)).getInt();
  }

  RecordingPlanBuilder plan;
  plan::CallOp call;
  plan::LibraryCallAttr convolution;
};

TEST(OnednnConvolutionTest, ViewsAreNchwWhateverTheLayout) {
  ParsedFusion parsed = conv2d("");
  Lowered lowered(kPlain, parsed);
  auto input = lowered.convolution.view("input");
  EXPECT_THAT(input.getDims().asArrayRef(), ElementsAre(2, 6, 9, 8));
  EXPECT_THAT(input.getStrides().asArrayRef(), ElementsAre(432, 1, 48, 6));
  auto filter = lowered.convolution.view("filter");
  EXPECT_THAT(filter.getDims().asArrayRef(), ElementsAre(4, 3, 3, 2));
  EXPECT_THAT(filter.getStrides().asArrayRef(), ElementsAre(18, 6, 2, 1));
  auto result = lowered.convolution.view("result");
  EXPECT_EQ(result.getOperand(), 3);
  EXPECT_THAT(result.getDims().asArrayRef(), ElementsAre(2, 4, 4, 7));
  EXPECT_THAT(result.getStrides().asArrayRef(), ElementsAre(112, 1, 28, 4));
  EXPECT_EQ(lowered.convolution.view("bias").getOperand(), 2);
  EXPECT_THAT(lowered.integers("strides"), ElementsAre(2, 1));
  EXPECT_THAT(lowered.integers("pads_begin"), ElementsAre(1, 1));
  EXPECT_THAT(lowered.integers("pads_end"), ElementsAre(2, 1));
  EXPECT_THAT(lowered.integers("dilations"), ElementsAre(2, 3));
  EXPECT_EQ(lowered.integer("groups"), 2);
  EXPECT_FALSE(lowered.integer("pack_filter")) << "the filter is an argument";
}

TEST(OnednnConvolutionTest, EpiloguesArePostOps) {
  std::string y = "tensor<2x4x7x4xf32>";
  ParsedFusion parsed =
      conv2d("%s = graph.mul %y, %3 : (" + y + ", tensor<4xf32>) -> " + y +
                 "\n%a = graph.add %4, %s : (" + y + ", " + y + ") -> " + y +
                 "\n%r = graph.relu %a : " + y,
             {"tensor<4xf32>", y});
  EXPECT_EQ(kFused.opsThatLoseNan(parsed.get()), "relu");
  Lowered lowered(kFused, parsed);
  auto postOps = lowered.convolution.postOps();
  ASSERT_THAT(postOps, SizeIs(3));
  auto scale = mlir::cast<plan::BinaryAttr>(postOps[0]);
  EXPECT_EQ(scale.getKind().getValue(), "mul");
  EXPECT_THAT(scale.getOperand().getDims().asArrayRef(),
              ElementsAre(1, 4, 1, 1));
  auto residual = mlir::cast<plan::BinaryAttr>(postOps[1]);
  EXPECT_EQ(residual.getOperand().getOperand(), 4);
  EXPECT_THAT(residual.getOperand().getDims().asArrayRef(),
              ElementsAre(2, 4, 4, 7));
  EXPECT_THAT(residual.getOperand().getStrides().asArrayRef(),
              ElementsAre(112, 1, 28, 4));
  EXPECT_EQ(mlir::cast<plan::EltwiseAttr>(postOps[2]).getKind().getValue(),
            "relu");
}

TEST(OnednnConvolutionTest, SaysWhyNot) {
  std::string y = "tensor<2x4x7x4xf32>";
  EXPECT_EQ(reasonFor(kPlain, conv2d("%r = graph.relu %y : " + y)),
            "ops after the convolution");
  EXPECT_THAT(reasonFor(kFused, conv2d("", {}, "f16")), HasSubstr("no f16"));
  EXPECT_THAT(reasonFor(kFused, conv2d("%r = graph.mul %y, %3 : (" + y +
                                           ", tensor<2x4x7x1xf32>) -> " + y,
                                       {"tensor<2x4x7x1xf32>"})),
              HasSubstr("broadcasts along pixels"));
  // Per image, not per channel.
  EXPECT_THAT(reasonFor(kFused, conv2d("%r = graph.mul %y, %3 : (" + y +
                                           ", tensor<2x1x1x1xf32>) -> " + y,
                                       {"tensor<2x1x1x1xf32>"})),
              HasSubstr("broadcasts along pixels"));
  EXPECT_EQ(reasonFor(kFused, ParsedFusion({"tensor<4xf32>"}, "tensor<4xf32>",
                                           "%1 = graph.relu %0 : tensor<4xf32>"
                                           "\nkernel.yield %1 : "
                                           "tensor<4xf32>")),
            "no convolution");
}

/// A thread of a CPU that has AVX-512, or one with AVX2 alone.
DeviceProfile profileOf(bool isWide) {
  DeviceProfile profile = onednnProfile(1);
  profile.features = {"+avx2", isWide ? "+avx512f" : "+fma"};
  return profile;
}

/// A convolution of 16 channels by 16 filters of `size` x `size`, then
/// `epilogue` from %y and %2 to %r.
double estimateOf(const std::string &layout, const std::string &epilogue,
                  int64_t groups = 1, bool isWide = true, int64_t size = 1) {
  std::string y = "tensor<1x16x16x16xf32>", side = std::to_string(size);
  std::string w = "tensor<16x" + std::to_string(16 / groups) + "x" + side +
                  "x" + side + "xf32>";
  std::string pad = std::to_string(size / 2);
  ParsedFusion parsed({y, w, y}, y,
                      "%y = graph.conv2d %0, %1 {layout = \"" + layout +
                          "\", groups = " + std::to_string(groups) +
                          " : i64, pads = array<i64: " + pad + ", " + pad +
                          ", " + pad + ", " + pad + ">} : (" + y + ", " + w +
                          ") -> " + y + "\n%r = graph." + epilogue +
                          "\nkernel.yield %r : " + y);
  return kFused.enumerate(parsed.get(), profileOf(isWide)).front().estimateUs;
}

TEST(OnednnConvolutionTest, PostOpsOfNchwTakeLong) {
  std::string y = "tensor<1x16x16x16xf32>";
  std::string relu = "relu %y : " + y, swish = "hard_swish %y : " + y;
  std::string residual = "add %y, %2 : (" + y + ", " + y + ") -> " + y;
  // 4096 elements.
  EXPECT_GT(estimateOf("nchw", swish), estimateOf("nchw", relu) + 10);
  EXPECT_GT(estimateOf("nchw", residual), estimateOf("nchw", swish) + 200);
  EXPECT_LT(estimateOf("nhwc", swish), estimateOf("nhwc", relu) + 1);
  EXPECT_LT(estimateOf("nhwc", residual), estimateOf("nhwc", relu) + 10);
}

/// 4096 elements at 1.8 and 1.4 ns; 9 taps at 1.4 times what they take.
TEST(OnednnConvolutionTest, NhwcTakesLongerWithoutAvx512) {
  std::string y = "tensor<1x16x16x16xf32>";
  std::string relu = "relu %y : " + y, silu = "silu %y : " + y;
  std::string residual = "add %y, %2 : (" + y + ", " + y + ") -> " + y;
  auto more = [&](const std::string &epilogue, int64_t size = 1) {
    return estimateOf("nhwc", epilogue, 1, /*isWide=*/false, size) -
           estimateOf("nhwc", epilogue, 1, /*isWide=*/true, size);
  };
  EXPECT_EQ(more(relu), 0);
  EXPECT_NEAR(more(residual), 7.4, 0.1);
  EXPECT_NEAR(more(silu), 5.7, 0.1);
  EXPECT_NEAR(more(relu, 3),
              0.4 * estimateOf("nhwc", relu, 1, /*isWide=*/true, 3), 0.1);
}

TEST(OnednnConvolutionTest, ChannelsByThemselvesTakeLongInNchw) {
  std::string relu = "relu %y : tensor<1x16x16x16xf32>";
  double grouped = estimateOf("nchw", relu, 16) - estimateOf("nhwc", relu, 16);
  double dense = estimateOf("nchw", relu) - estimateOf("nhwc", relu);
  EXPECT_GT(grouped, dense + 2) << "4096 products";
}

TEST(OnednnConvolutionTest, GatheredTapsOfNchwTakeLongWhereL3IsSlow) {
  std::string x = "tensor<1x3x32x32xf32>", w = "tensor<16x3x3x3xf32>",
              y = "tensor<1x16x30x30xf32>";
  ParsedFusion parsed({x, w}, y,
                      "%y = graph.conv2d %0, %1 {layout = \"nchw\"} : (" + x +
                          ", " + w + ") -> " + y + "\nkernel.yield %y : " + y);
  auto estimate = [&](double l3GBs, bool isWide = true) {
    DeviceProfile profile = profileOf(isWide);
    profile.l3GBs = l3GBs;
    return kPlain.enumerate(parsed.get(), profile).front().estimateUs;
  };
  // 30 x 30 pixels of 27 taps and channels, at 1.4 ns, and 2.2 without AVX-512.
  EXPECT_NEAR(estimate(20) - estimate(75), 34, 0.1);
  EXPECT_NEAR(estimate(75, /*isWide=*/false) - estimate(75), 53.5, 0.1);
}

TEST(OnednnConvolutionTest, LeavesWidePadsWithAResidualAlone) {
  std::string x = "tensor<1x5x5x8xf32>", y = "tensor<1x6x5x8xf32>";
  auto padded = [&](const std::string &layout, const std::string &image,
                    const std::string &result) {
    return ParsedFusion({image, "tensor<8x8x3x3xf32>", result}, result,
                        "%y = graph.conv2d %0, %1 {layout = \"" + layout +
                            "\", pads = array<i64: 2, 1, 1, 1>} : (" + image +
                            ", tensor<8x8x3x3xf32>) -> " + result +
                            "\n%r = graph.add %y, %2 : (" + result + ", " +
                            result + ") -> " + result +
                            "\nkernel.yield %r : " + result);
  };
  EXPECT_THAT(reasonFor(kFused, padded("nhwc", x, y)),
              HasSubstr("widely padded NHWC images"));
  EXPECT_EQ(reasonFor(kFused, padded("nchw", "tensor<1x8x5x5xf32>",
                                     "tensor<1x8x6x5xf32>")),
            "accepted");
}

TEST(OnednnConvolutionTest, LeavesSmallGroupsWithAResidualAloneOnAvx2) {
  auto grouped = [&](int channels, int groups) {
    std::string x = "tensor<1x5x5x" + std::to_string(channels) + "xf32>",
                w = "tensor<" + std::to_string(channels) + "x" +
                    std::to_string(channels / groups) + "x3x3xf32>";
    return ParsedFusion(
        {x, w, x}, x,
        "%y = graph.conv2d %0, %1 {layout = \"nhwc\", groups = " +
            std::to_string(groups) +
            " : i64, pads = array<i64: 1, 1, 1, 1>} : (" + x + ", " + w +
            ") -> " + x + "\n%r = graph.add %y, %2 : (" + x + ", " + x +
            ") -> " + x + "\nkernel.yield %r : " + x);
  };
  auto reason = [&](const char *isa, int channels, int groups) {
    ParsedFusion fusion = grouped(channels, groups);
    return kFused.reject(fusion.get(), getCpuProfile(1, isa))
        .value_or("accepted");
  };
  EXPECT_THAT(reason("v3", 8, 2), HasSubstr("NHWC groups of a few channels"));
  EXPECT_EQ(reason("v4", 8, 2), "accepted");
  EXPECT_EQ(reason("v3", 16, 2), "accepted");
  EXPECT_EQ(reason("v3", 8, 8), "accepted");
}

} // namespace
} // namespace minic::cpu
