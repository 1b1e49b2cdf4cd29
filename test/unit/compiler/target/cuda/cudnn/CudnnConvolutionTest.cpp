// SPDX-License-Identifier: Apache-2.0
//
// Which convolutions cuDNN takes, and the call that is written for them.

#include "compiler/target/cuda/cudnn/CudnnConvolution.h"

#include "compiler/target/Candidates.h"
#include "test/unit/compiler/target/cuda/LoweredCall.h"

#include "mlir/AsmParser/AsmParser.h"

#include "gmock/gmock.h"

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

namespace minic::cuda {
namespace {

const CudnnConvolution kPlain(/*fusesEpilogue=*/false);
const CudnnConvolution kFused(/*fusesEpilogue=*/true);

using Lowered = LoweredCall;

struct Text {
  std::string dtype = "f32", layout = "nchw", attributes = {};
  bool hasBias = false;
  int groups = 1;
  /// Arguments after input, filter (and bias).
  std::vector<std::string> more = {};
  std::string epilogue = {}, result = {};
};

/// 2 images of 16 channels of 9x11, 8 filters of 3x3, padded by 1; %y to %r.
ParsedFusion convolution(const Text &text) {
  auto tensor = [&](const std::string &dims) {
    return "tensor<" + dims + "x" + text.dtype + ">";
  };
  bool isNhwc = text.layout == "nhwc";
  std::string x = tensor(isNhwc ? "2x9x11x16" : "2x16x9x11"),
              y = tensor(isNhwc ? "2x9x11x8" : "2x8x9x11"),
              w = tensor("8x" + std::to_string(16 / text.groups) + "x3x3"),
              b = tensor("8");
  std::vector<std::string> arguments = {x, w};
  if (text.hasBias) {
    arguments.push_back(b);
  }
  arguments.insert(arguments.end(), text.more.begin(), text.more.end());
  std::string last = text.epilogue.empty() ? "%y" : "%r";
  std::string type = text.result.empty() ? y : text.result;
  return ParsedFusion(
      arguments, type,
      "%y = graph.conv2d %0, %1" + std::string(text.hasBias ? ", %2" : "") +
          " {layout = \"" + text.layout +
          "\", pads = array<i64: 1, 1, 1, 1>, groups = " +
          std::to_string(text.groups) + " : i64" + text.attributes + "} : (" +
          x + ", " + w + (text.hasBias ? ", " + b : "") + ") -> " + y + "\n" +
          text.epilogue + "\nkernel.yield " + last + " : " + type);
}

constexpr const char *kNchw = "tensor<2x8x9x11xf32>";

TEST(CudnnConvolutionTest, NchwAsItIs) {
  ParsedFusion parsed = convolution({.hasBias = true});
  Lowered lowered(kPlain, parsed, *getCudaProfile("h200"));
  auto conv = lowered.descriptor;
  EXPECT_THAT(conv.view("input").getDims().asArrayRef(),
              ElementsAre(2, 16, 9, 11));
  EXPECT_THAT(conv.view("input").getStrides().asArrayRef(),
              ElementsAre(1584, 99, 11, 1));
  EXPECT_THAT(conv.view("filter").getStrides().asArrayRef(),
              ElementsAre(144, 9, 3, 1));
  EXPECT_THAT(conv.view("bias").getDims().asArrayRef(),
              ElementsAre(1, 8, 1, 1));
  EXPECT_FALSE(conv.view("addend"));
  EXPECT_THAT(conv.view("result").getDims().asArrayRef(),
              ElementsAre(2, 8, 9, 11));
  EXPECT_THAT(integersOf(conv, "pads_begin"), ElementsAre(1, 1));
  EXPECT_THAT(integersOf(conv, "dilations"), ElementsAre(1, 1));
  EXPECT_EQ(epilogueOf(conv), "");
  EXPECT_EQ(textOf(conv, "compute"), "f32");
  EXPECT_EQ(conv.algorithm(), "");
  EXPECT_FALSE(lowered.call.getLibraryVersion());
  EXPECT_GT(lowered.call.getScratchBytes(), 0);
}

TEST(CudnnConvolutionTest, NhwcHasItsFilterInThatOrder) {
  ParsedFusion parsed =
      convolution({.dtype = "bf16",
                   .layout = "nhwc",
                   .attributes = ", strides = array<i64: 1, 1>",
                   .epilogue = "%r = graph.relu %y : tensor<2x9x11x8xbf16>"});
  Lowered lowered(kFused, parsed, *getCudaProfile("h200"));
  auto conv = lowered.descriptor;
  EXPECT_THAT(conv.view("input").getDims().asArrayRef(),
              ElementsAre(2, 16, 9, 11));
  EXPECT_THAT(conv.view("input").getStrides().asArrayRef(),
              ElementsAre(1584, 1, 176, 16));
  EXPECT_THAT(conv.view("filter").getDims().asArrayRef(),
              ElementsAre(8, 16, 3, 3));
  EXPECT_THAT(conv.view("filter").getStrides().asArrayRef(),
              ElementsAre(144, 1, 48, 16));
  EXPECT_THAT(conv.view("result").getStrides().asArrayRef(),
              ElementsAre(792, 1, 88, 8));
  EXPECT_EQ(epilogueOf(conv), "relu");
  // cuDNN's kernels for relu all add a bias: one of zeros.
  ASSERT_TRUE(conv.view("bias"));
  auto zeros = lowered.call.getAddresses()[conv.view("bias").getOperand()]
                   .getDefiningOp<plan::BufferOp>();
  ASSERT_TRUE(zeros);
  EXPECT_EQ(zeros.getBytes(), 16u);
}

// Tensor cores want the filter's channels together whatever the images' order.
TEST(CudnnConvolutionTest, NchwMayHaveItsFilterInNhwc) {
  ParsedFusion parsed = convolution({.dtype = "bf16"});
  auto implementations =
      kPlain.enumerate(parsed.get(), *getCudaProfile("h200"));
  ASSERT_EQ(implementations.size(), 2u);
  EXPECT_EQ(implementations[0].name, "cudnn_conv nhwc");
  EXPECT_EQ(implementations[1].name, "cudnn_conv nchw");
  Lowered lowered(kPlain, parsed, *getCudaProfile("h200"));
  auto conv = lowered.descriptor;
  EXPECT_THAT(conv.view("input").getStrides().asArrayRef(),
              ElementsAre(1584, 99, 11, 1));
  EXPECT_THAT(conv.view("filter").getStrides().asArrayRef(),
              ElementsAre(144, 1, 48, 16));
  EXPECT_THAT(conv.view("result").getStrides().asArrayRef(),
              ElementsAre(792, 99, 11, 1));
}

TEST(CudnnConvolutionTest, AResidualBlock) {
  ParsedFusion parsed =
      convolution({.hasBias = true,
                   .more = {kNchw},
                   .epilogue = "%s = graph.add %3, %y : (tensor<2x8x9x11xf32>, "
                               "tensor<2x8x9x11xf32>) -> tensor<2x8x9x11xf32>\n"
                               "%r = graph.relu %s : tensor<2x8x9x11xf32>"});
  EXPECT_THAT(kPlain.reject(parsed.get(), *getCudaProfile("h200")),
              testing::Optional(HasSubstr("ops after")));
  Lowered lowered(kFused, parsed, *getCudaProfile("h200"));
  auto conv = lowered.descriptor;
  EXPECT_EQ(conv.view("bias").getOperand(), 2);
  EXPECT_EQ(conv.view("addend").getOperand(), 3);
  EXPECT_EQ(conv.view("addend").getDims(), conv.view("result").getDims());
  EXPECT_EQ(epilogueOf(conv), "relu");
}

TEST(CudnnConvolutionTest, ABiasThatIsAdded) {
  for (const char *type : {"tensor<8x1x1xf32>", "tensor<1x8x1x1xf32>"}) {
    ParsedFusion parsed = convolution(
        {.more = {type},
         .epilogue = "%r = graph.add %y, %2 : (tensor<2x8x9x11xf32>, " +
                     std::string(type) + ") -> tensor<2x8x9x11xf32>"});
    Lowered lowered(kFused, parsed, *getCudaProfile("h200"));
    EXPECT_EQ(lowered.descriptor.view("bias").getOperand(), 2);
    EXPECT_FALSE(lowered.descriptor.view("addend"));
  }
}

TEST(CudnnConvolutionTest, TheEngineOfTheSchedule) {
  ParsedFusion parsed = convolution({});
  kernel::FusionOp fusion = parsed.get();
  mlir::Builder b(fusion.getContext());
  auto implement = [&](llvm::StringRef algorithm) {
    fusion.setImplAttr(kernel::ImplAttr::get(
        fusion.getContext(), "cudnn_conv",
        b.getDictionaryAttr(
            {b.getNamedAttr("algorithm", b.getStringAttr(algorithm)),
             b.getNamedAttr("scratch_bytes", b.getI64IntegerAttr(4096))})));
  };
  implement("9.19.0:eng38_k2=5_k13=-1");
  CallRecorder plan(fusion.getContext());
  ASSERT_TRUE(succeeded(kFused.lower(fusion, plan)));
  auto conv = plan.call().getDescriptor();
  EXPECT_EQ(conv.algorithm(), "eng38_k2=5_k13=-1");
  EXPECT_EQ(plan.call().getLibraryVersion(), "9.19.0");
  EXPECT_EQ(plan.call().getScratchBytes(), 4096);

  for (const char *bad : {"eng38", "9.19.0:", "9.19.0:fastest", ":eng1"}) {
    implement(bad);
    EXPECT_THAT(loweringError(kFused, fusion), HasSubstr("a schedule of cuDNN"))
        << bad;
  }
  fusion.setImplAttr(kernel::ImplAttr::get(
      fusion.getContext(), "cudnn_conv",
      b.getDictionaryAttr({b.getNamedAttr("tile", b.getStringAttr("4"))})));
  EXPECT_THAT(loweringError(kFused, fusion), HasSubstr("a schedule of cuDNN"));
}

TEST(CudnnConvolutionTest, SaysWhatItDoesNotTake) {
  auto reason = [](const Text &text) {
    return reasonFor(kFused, convolution(text));
  };
  EXPECT_THAT(
      reason({.epilogue = "%r = graph.silu %y : " + std::string(kNchw)}),
      HasSubstr("NHWC only"));
  EXPECT_EQ(reason({.dtype = "bf16",
                    .layout = "nhwc",
                    .epilogue = "%r = graph.silu %y : tensor<2x9x11x8xbf16>"}),
            "accepted");
  EXPECT_THAT(reason({.layout = "nhwc",
                      .epilogue = "%r = graph.silu %y : tensor<2x9x11x8xf32>"}),
              HasSubstr("with tf32 only"));
  EXPECT_EQ(reason({.layout = "nhwc",
                    .epilogue = "%r = graph.tanh %y : tensor<2x9x11x8xf32>"}),
            "accepted");
  EXPECT_THAT(
      reason({.epilogue = "%r = graph.hard_swish %y : " + std::string(kNchw)}),
      HasSubstr("cuDNN fuses no graph.hard_swish"));
  EXPECT_THAT(
      reason({.epilogue = "%s = graph.relu %y : " + std::string(kNchw) +
                          "\n%r = graph.relu %s : " + std::string(kNchw)}),
      HasSubstr("after an activation"));
  EXPECT_THAT(
      reason({.more = {"tensor<11xf32>"},
              .epilogue = "%r = graph.add %y, %2 : (tensor<2x8x9x11xf32>, "
                          "tensor<11xf32>) -> tensor<2x8x9x11xf32>"}),
      HasSubstr("a value per channel"));
  EXPECT_THAT(reasonFor(kFused, linear("", "f32")),
              HasSubstr("no convolution"));
}

TEST(CudnnConvolutionTest, CandidatesInEveryWay) {
  auto target = createCudaTarget(*getCudaProfile("h200"));
  auto namesOf = [&](ParsedFusion &parsed,
                     std::vector<BackendLabel> labels = {}) {
    std::vector<std::string> names, why;
    for (const Candidate &candidate :
         enumerateCandidates(parsed.get(), *target, labels, why)) {
      names.push_back(candidate.name);
      parsed.get().setChoiceAttr(candidate.choice);
      EXPECT_TRUE(succeeded(mlir::verify(parsed.get()))) << candidate.name;
      // Records keep choices as text.
      std::string text;
      llvm::raw_string_ostream(text) << mlir::Attribute(candidate.choice);
      EXPECT_EQ(mlir::parseAttribute(text, parsed.get().getContext()),
                candidate.choice)
          << text;
    }
    return names;
  };
  ParsedFusion relu =
      convolution({.epilogue = "%r = graph.relu %y : " + std::string(kNchw)});
  EXPECT_THAT(namesOf(relu), Contains("cudnn cudnn_conv nchw"));
  EXPECT_THAT(namesOf(relu),
              Contains(StartsWith("aten cudnn_conv nchw + pointwise")));
  EXPECT_THAT(namesOf(relu, {BackendLabel::Cudnn}),
              AllOf(Not(IsEmpty()), Each(StartsWith("cudnn "))));
  // What is not fused comes after.
  ParsedFusion swish = convolution(
      {.epilogue = "%r = graph.hard_swish %y : " + std::string(kNchw)});
  EXPECT_THAT(namesOf(swish, {BackendLabel::Cudnn}),
              ElementsAre(StartsWith("cudnn cudnn_conv nchw + pointwise")));
  // Alone it is one call, whatever it is called.
  ParsedFusion bare = convolution({});
  EXPECT_THAT(namesOf(bare),
              AllOf(Contains("aten cudnn_conv nchw"),
                    Contains(StartsWith("generated conv_sm80 "))));
  EXPECT_THAT(namesOf(bare, {BackendLabel::Aten, BackendLabel::Cudnn}),
              ElementsAre("aten cudnn_conv nchw"));
  EXPECT_THAT(namesOf(bare, {BackendLabel::Cudnn}),
              ElementsAre("cudnn cudnn_conv nchw"));
}

} // namespace
} // namespace minic::cuda
