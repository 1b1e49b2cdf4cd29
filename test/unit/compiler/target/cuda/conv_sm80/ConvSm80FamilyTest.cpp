// SPDX-License-Identifier: Apache-2.0
//
// Which convolutions conv_sm80 and conv_sm90 take, in which layouts, and what
// they say of others and of bad schedules.

#include "compiler/target/cuda/conv_sm80/ConvSm80Family.h"
#include "compiler/target/cuda/conv_sm90/ConvSm90Family.h"
#include "test/unit/compiler/target/cuda/gemm/ConvolutionCases.h"

#include "mlir/AsmParser/AsmParser.h"

#include <gmock/gmock.h>

namespace minic::cuda {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const ConvSm80Family sm80;
const ConvSm90Family sm90;

ConvCase image(int64_t c, bool nhwc, const std::string &dtype = "bf16") {
  ConvCase conv = padded(c, c, nhwc, dtype);
  conv.h = conv.w = 14;
  return conv;
}

std::string reasonFor(const KernelFamily &family, const ConvBody &body,
                      const std::string &arch = "sm_90a") {
  ParsedFusion parsed(body.arguments, body.result, body.text);
  return family.reject(parsed.get(), *getArchProfile(arch))
      .value_or("accepted");
}

std::string reasonFor(const KernelFamily &family, const ConvCase &conv,
                      const std::string &arch = "sm_90a") {
  return reasonFor(family, bodyOf(conv, Behind::Nothing), arch);
}

TEST(ConvSm80Family, TakesAnyConvolution) {
  for (bool nhwc : {true, false}) {
    for (const char *dtype : {"bf16", "f16", "f32"}) {
      for (int64_t c : {1, 3, 16, 64}) {
        EXPECT_EQ(reasonFor(sm80, image(c, nhwc, dtype), "sm_80"), "accepted");
      }
    }
  }
  EXPECT_EQ(reasonFor(sm90, image(64, true)), "accepted");
}

/// Split float32 products are as exact as float32 where a sum has 32 or more:
/// of 8 channels a corner of 3x3 has so many, with another pad it has half.
TEST(ConvSm80Family, SplitsFloatsWhereEachSumIsLong) {
  auto splits = [](const ConvCase &conv) {
    ConvBody body = bodyOf(conv, Behind::Nothing);
    ParsedFusion parsed(body.arguments, body.result, body.text);
    auto offers = sm80.enumerate(parsed.get(), *getArchProfile("sm_80"));
    return llvm::any_of(offers, [](const Implementation &one) {
      return one.name.find("tf32x3") != std::string::npos;
    });
  };
  ConvCase conv = image(8, true, "f32");
  EXPECT_TRUE(splits(conv));
  conv.top = 2;
  EXPECT_FALSE(splits(conv));
  conv.top = 0;
  EXPECT_TRUE(splits(conv));
  conv.dilationH = 2, conv.top = 2;
  EXPECT_TRUE(splits(conv));
  conv.c = conv.k = 4;
  EXPECT_FALSE(splits(conv));
}

TEST(ConvSm80Family, SaysWhyNot) {
  ConvCase pixel = image(16, true);
  pixel.r = pixel.s = 1;
  pixel.top = pixel.left = pixel.bottom = pixel.right = 0;
  EXPECT_THAT(reasonFor(sm80, pixel), HasSubstr("families of GEMMs"));
  ConvCase depthwise = image(16, true);
  depthwise.groups = 16;
  EXPECT_THAT(reasonFor(sm80, depthwise), HasSubstr("conv_depthwise"));
  ConvCase huge = image(16, true);
  huge.n = 1 << 22;
  EXPECT_EQ(reasonFor(sm80, huge), "images too large");
  EXPECT_EQ(reasonFor(sm90, image(64, true), "sm_80"), "the GPU is not sm_90a");
  EXPECT_EQ(reasonFor(sm90, image(64, true, "f32")),
            "operands that are not both bf16 or f16");
  EXPECT_EQ(reasonFor(sm90, image(16, false)), "fewer than 33 rows");
}

/// An input that is added to the result may stay as it is; one that must be
/// relaid may not be read by others.
TEST(ConvSm80Family, OtherUsesOfTheInput) {
  auto residual = [](const ConvCase &conv) {
    std::string x = conv.input();
    return ConvBody{{x, conv.filter()},
                    x,
                    "%y = " + conv.op("%0, %1", false) +
                        "%r = graph.add %y, %0 : (" + x + ", " + x + ") -> " +
                        x + "\nkernel.yield %r : " + x};
  };
  EXPECT_EQ(reasonFor(sm80, residual(image(16, true))), "accepted");
  EXPECT_EQ(reasonFor(sm80, residual(image(16, false))),
            "an operand that must be relaid has another use in the body");
  EXPECT_EQ(reasonFor(sm80, residual(image(3, false))), "accepted");
}

std::vector<Implementation> offersFor(const ConvCase &conv) {
  static std::vector<std::unique_ptr<ParsedFusion>> parsed;
  ConvBody body = bodyOf(conv, Behind::Nothing);
  parsed.push_back(
      std::make_unique<ParsedFusion>(body.arguments, body.result, body.text));
  return sm80.enumerate(parsed.back()->get(), *getCudaProfile("h200"));
}

TEST(ConvSm80Family, Layouts) {
  auto orderOf = [](mlir::Attribute layout) -> std::vector<int64_t> {
    auto known = mlir::dyn_cast<kernel::LayoutAttr>(layout);
    return known ? known.getOrder().vec() : std::vector<int64_t>();
  };
  using Order = std::vector<int64_t>;
  for (const Implementation &offer : offersFor(image(64, true))) {
    EXPECT_THAT(offer.name, StartsWith("conv_sm80 "));
    EXPECT_EQ(orderOf(offer.operandLayouts[0]), Order());
    EXPECT_EQ(orderOf(offer.operandLayouts[1]), Order({0, 2, 3, 1}));
  }
  for (const Implementation &offer : offersFor(image(64, false))) {
    EXPECT_EQ(orderOf(offer.operandLayouts[0]), Order({0, 2, 3, 1}));
  }
  // Few channels: where they lie, or with zeros behind them.
  bool gathers = false, pads = false;
  for (const Implementation &offer : offersFor(image(3, false))) {
    auto layout = mlir::dyn_cast<kernel::LayoutAttr>(offer.operandLayouts[0]);
    bool isPadded = llvm::StringRef(offer.name).contains("lhs=padded");
    EXPECT_EQ(isPadded, layout != nullptr) << offer.name;
    if (layout) {
      EXPECT_EQ(layout.getPadded(), llvm::ArrayRef<int64_t>({2, 4, 14, 14}));
    }
    (isPadded ? pads : gathers) = true;
  }
  EXPECT_TRUE(gathers && pads);
}

/// Groups have no stride that a tensor map could follow, and need none.
TEST(ConvSm80Family, GroupsByWgmma) {
  ConvCase conv = image(96, true);
  conv.groups = 2;
  ConvBody body = bodyOf(conv, Behind::Nothing);
  ParsedFusion parsed(body.arguments, body.result, body.text);
  auto offers = sm90.enumerate(parsed.get(), *getArchProfile("sm_90a"));
  EXPECT_FALSE(offers.empty());
  for (const Implementation &offer : offers) {
    EXPECT_THAT(offer.name, Not(HasSubstr("copies=tma")));
  }
}

TEST(ConvSm80Family, RefusesBadSchedules) {
  ConvBody body = bodyOf(image(64, true), Behind::Nothing);
  ParsedFusion parsed(body.arguments, body.result, body.text);
  kernel::FusionOp fusion = parsed.get();
  mlir::MLIRContext *context = fusion.getContext();
  std::string error;
  mlir::ScopedDiagnosticHandler handler(context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          error = diagnostic.str();
                                          return mlir::success();
                                        });
  auto lower = [&](const KernelFamily &family, const std::string &schedule) {
    fusion.setImplAttr(mlir::cast<kernel::ImplAttr>(
        mlir::parseAttribute("#kernel.impl<family = \"" + family.name().str() +
                                 "\", schedule = " + schedule + ">",
                             context)));
    LaunchRecorder plan(context);
    EXPECT_TRUE(failed(family.lower(fusion, plan)));
    return error;
  };
  EXPECT_THAT(lower(sm80, "{}"),
              HasSubstr("conv_sm80 expects operand 1 in layout"));
  EXPECT_THAT(lower(sm80, "{math = \"none\"}"),
              HasSubstr("conv_sm80 schedule expects math to be \"mma\""));
  EXPECT_THAT(lower(sm80, "{x = 1 : i64}"),
              HasSubstr("conv_sm80 schedule has no 'x'"));
  EXPECT_THAT(lower(sm80, "{math = \"ffma\"}"),
              HasSubstr("conv_sm80 cannot implement this fusion with conv_sm80 "
                        "128x128x64"));
  EXPECT_THAT(lower(sm90, "{multicast = \"2x1\"}"),
              HasSubstr("multicast is of copies by TMA"));
  EXPECT_THAT(lower(sm90, "{copies = 3 : i64}"),
              HasSubstr("conv_sm90 schedule expects copies to be"));
}

} // namespace
} // namespace minic::cuda
