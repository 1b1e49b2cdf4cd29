// SPDX-License-Identifier: Apache-2.0
//
// Kernels of conv_depthwise run by the interpreter and compared with the
// reference; what is offered, and what is refused.

#include "compiler/target/cuda/conv_depthwise/ConvDepthwiseFamily.h"
#include "compiler/target/cuda/conv_depthwise/DepthwiseGeometry.h"
#include "test/unit/compiler/target/cuda/gemm/ConvolutionCases.h"

#include "mlir/AsmParser/AsmParser.h"

#include <gmock/gmock.h>

namespace minic::cuda {
namespace {

using testing::HasSubstr;

const ConvDepthwiseFamily family;

/// All schedules that are offered, or every `step`th.
void check(const ConvCase &conv, Behind behind = Behind::Relu,
           size_t step = 1) {
  ConvBody body = bodyOf(conv, behind);
  SCOPED_TRACE(body.text);
  DeviceProfile profile = *getCudaProfile("h200");
  InterpretedFusion first(body.arguments, body.result, body.text);
  ASSERT_EQ(family.reject(first.fusion, profile), std::nullopt);
  size_t count = family.enumerate(first.fusion, profile).size();
  ASSERT_GT(count, 0u);
  for (size_t i = 0; i < count; i += step) {
    InterpretedFusion run(body.arguments, body.result, body.text);
    checkAgainstReference(run, family, family.enumerate(run.fusion, profile)[i],
                          profile);
  }
}

ConvCase depthwise(int64_t channels, bool nhwc = true,
                   const std::string &dtype = "bf16") {
  ConvCase conv = padded(channels, channels, nhwc, dtype);
  conv.w = 8;
  conv.groups = channels;
  return conv;
}

TEST(ConvDepthwise, EverySchedule) {
  check(depthwise(16), Behind::Residual);
  check(depthwise(12, true, "f32"));
  check(depthwise(3, true, "f16"));
  check(depthwise(6, false), Behind::Residual);
}

TEST(ConvDepthwise, OddLines) {
  for (bool nhwc : {true, false}) {
    ConvCase conv = depthwise(8, nhwc);
    conv.w = 7;
    check(conv, Behind::Residual, 3);
  }
}

TEST(ConvDepthwise, KernelsStridesAndDilations) {
  for (int64_t kernel = 1; kernel <= 7; ++kernel) {
    for (int64_t stride = 1; stride <= 3; ++stride) {
      ConvCase conv = depthwise(8, (kernel + stride) % 2 == 0);
      conv.n = 1, conv.h = 13, conv.w = 15;
      conv.r = kernel, conv.s = kernel == 4 ? 2 : kernel;
      conv.strideH = stride, conv.strideW = 1 + stride % 3;
      conv.top = kernel / 2, conv.left = kernel / 3;
      check(conv, Behind::Nothing, 5);
      if (kernel > 1 && kernel < 4) {
        conv.dilationH = 3, conv.dilationW = 2;
        check(conv, Behind::Relu, 5);
      }
    }
  }
}

TEST(ConvDepthwise, LongLinesOfTaps) {
  ConvCase conv = depthwise(4);
  conv.n = 1, conv.w = 20, conv.s = 17, conv.left = 8, conv.right = 8;
  check(conv, Behind::Relu, 7);
  conv.nhwc = false;
  check(conv, Behind::Relu, 7);
}

/// Several results for each channel.
TEST(ConvDepthwise, Multiplier) {
  for (bool nhwc : {true, false}) {
    ConvCase conv = depthwise(4, nhwc);
    conv.k = 12;
    check(conv, Behind::Residual, 3);
  }
}

TEST(ConvDepthwise, AsksForTapsOfAllChannels) {
  ConvBody body = bodyOf(depthwise(16), Behind::Nothing);
  ParsedFusion parsed(body.arguments, body.result, body.text);
  auto offers = family.enumerate(parsed.get(), *getCudaProfile("h200"));
  for (const Implementation &offer : offers) {
    auto layout = mlir::dyn_cast<kernel::LayoutAttr>(offer.operandLayouts[1]);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout.getOrder(), llvm::ArrayRef<int64_t>({2, 3, 1, 0}));
    EXPECT_TRUE(mlir::isa<mlir::UnitAttr>(offer.operandLayouts[0]));
  }
}

std::string reasonFor(const ConvCase &conv) {
  ConvBody body = bodyOf(conv, Behind::Nothing);
  ParsedFusion parsed(body.arguments, body.result, body.text);
  return family.reject(parsed.get(), *getCudaProfile("h200"))
      .value_or("accepted");
}

TEST(ConvDepthwise, SaysWhyNot) {
  ConvCase grouped = depthwise(16);
  grouped.groups = 8;
  EXPECT_EQ(reasonFor(grouped), "groups of several channels, or one group");
  ConvCase single = depthwise(1);
  EXPECT_EQ(reasonFor(single), "groups of several channels, or one group");
  ConvCase huge = depthwise(8);
  huge.n = 1 << 24;
  EXPECT_EQ(reasonFor(huge), "images too large");
}

TEST(ConvDepthwise, RefusesBadSchedules) {
  ConvBody body = bodyOf(depthwise(16), Behind::Nothing);
  ParsedFusion parsed(body.arguments, body.result, body.text);
  kernel::FusionOp fusion = parsed.get();
  mlir::MLIRContext *context = fusion.getContext();
  std::string error;
  mlir::ScopedDiagnosticHandler handler(context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          error = diagnostic.str();
                                          return mlir::success();
                                        });
  auto lower = [&](const std::string &schedule) {
    fusion.setImplAttr(mlir::cast<kernel::ImplAttr>(mlir::parseAttribute(
        "#kernel.impl<family = \"conv_depthwise\", schedule = " + schedule +
            ">",
        context)));
    LaunchRecorder plan(context);
    EXPECT_TRUE(failed(family.lower(fusion, plan)));
    return error;
  };
  EXPECT_THAT(lower("{channels = 8 : i64, pixels = 4 : i64, threads = 128 : "
                    "i64}"),
              HasSubstr("expects operand 1 in layout"));
  EXPECT_THAT(lower("{channels = 3 : i64, pixels = 4 : i64, threads = 128 : "
                    "i64}"),
              HasSubstr("of powers of two"));
  EXPECT_THAT(lower("{}"), HasSubstr("expects a schedule"));
}

} // namespace
} // namespace minic::cuda
