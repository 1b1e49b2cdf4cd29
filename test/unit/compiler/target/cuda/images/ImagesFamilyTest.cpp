// SPDX-License-Identifier: Apache-2.0
//
// Kernels of pools and resizes run by the interpreter and compared with the
// reference; what is refused.

#include "compiler/target/cuda/images/ImagesFamily.h"
#include "test/unit/compiler/target/cuda/gemm/ConvolutionCases.h"

#include "mlir/AsmParser/AsmParser.h"

#include <gmock/gmock.h>

#include <cmath>

namespace minic::cuda {
namespace {

using testing::HasSubstr;

const ImagesFamily family;

/// One op on images, in NHWC unless inNchw() made it.
struct ImageCase {
  std::string from, to, dtype;
  /// Of the op, around the name of its operand.
  std::string before, after;

  std::string input() const { return "tensor<" + from + "x" + dtype + ">"; }
  std::string result() const { return "tensor<" + to + "x" + dtype + ">"; }
  std::string op(const std::string &image) const {
    return before + image + after + " : " + input() + " -> " + result() + "\n";
  }
};

ImageCase pool(const std::string &kind, const std::string &from,
               const std::string &to, const std::string &window,
               const std::string &attributes = "",
               const std::string &dtype = "bf16") {
  return {from, to, dtype, "graph.pool2d " + kind + ", ",
          " window = [" + window + "] {layout = \"nhwc\"" + attributes + "}"};
}

ImageCase resize(const std::string &how, const std::string &from,
                 const std::string &to, const std::string &size,
                 const std::string &dtype = "bf16") {
  return {from, to, dtype, "graph.resize " + how + ", ",
          " to [" + size + "] {layout = \"nhwc\"}"};
}

/// "NxHxWxC" as "NxCxHxW".
std::string channelsFirst(const std::string &dims) {
  size_t image = dims.find('x'), channels = dims.rfind('x');
  return dims.substr(0, image) + dims.substr(channels) +
         dims.substr(image, channels - image);
}

ImageCase inNchw(ImageCase image) {
  image.from = channelsFirst(image.from);
  image.to = channelsFirst(image.to);
  image.after.replace(image.after.find("nhwc"), 4, "nchw");
  return image;
}

ConvBody bodyOf(const ImageCase &image, bool hasResidual) {
  std::string y = image.result();
  if (!hasResidual) {
    return {{image.input()},
            y,
            "%y = " + image.op("%0") + "kernel.yield %y : " + y};
  }
  return {{image.input(), y},
          y,
          "%p = " + image.op("%0") + "%a = graph.add %p, %1 : (" + y + ", " +
              y + ") -> " + y + "\n%r = graph.relu %a : " + y +
              "\nkernel.yield %r : " + y};
}

using Change = llvm::function_ref<void(cpu::TestTensor &input)>;

/// All schedules that are offered.
void check(const ImageCase &image, bool hasResidual = false,
           Change change = nullptr) {
  ConvBody body = bodyOf(image, hasResidual);
  SCOPED_TRACE(body.text);
  DeviceProfile profile = *getCudaProfile("h200");
  InterpretedFusion first(body.arguments, body.result, body.text);
  ASSERT_EQ(family.reject(first.fusion, profile), std::nullopt);
  size_t count = family.enumerate(first.fusion, profile).size();
  ASSERT_GT(count, 0u);
  for (size_t i = 0; i != count; ++i) {
    InterpretedFusion run(body.arguments, body.result, body.text);
    if (change) {
      change(run.inputs[0]);
    }
    checkAgainstReference(run, family, family.enumerate(run.fusion, profile)[i],
                          profile);
  }
}

const std::string halved = ", strides = array<i64: 2, 2>";
const std::string padded = ", pads = array<i64: 1, 1, 1, 1>";

TEST(CudaPools, KindsAndDtypes) {
  for (const char *dtype : {"f32", "bf16", "f16"}) {
    for (const char *kind : {"max", "average", "sum"}) {
      ImageCase image =
          pool(kind, "2x9x7x24", "2x5x4x24", "3, 3", halved + padded, dtype);
      check(image);
      check(image, /*hasResidual=*/true);
    }
  }
}

/// Vectors get narrower with them.
TEST(CudaPools, OddChannels) {
  for (const char *channels : {"1", "3", "6", "20"}) {
    std::string c = std::string("x") + channels;
    check(pool("max", "2x6x5" + c, "2x3x2" + c, "2, 2", halved),
          /*hasResidual=*/true);
  }
}

TEST(CudaPools, CountsPads) {
  check(pool("average", "1x10x9x8", "1x6x5x8", "3, 3",
             halved + padded + ", ceil_mode, count_pads"));
  check(pool("average", "1x10x9x8", "1x6x5x8", "3, 3",
             halved + padded + ", ceil_mode"));
}

TEST(CudaPools, Dilations) {
  std::string dilated = ", dilations = array<i64: 2, 3>";
  check(pool("sum", "1x9x11x8", "1x5x2x8", "3, 4", dilated));
  check(pool("average", "1x5x8x8", "1x3x4x8", "3, 3", dilated + padded));
}

/// Windows that are loops, in one direction and in both.
TEST(CudaPools, LargeWindows) {
  check(pool("average", "2x7x7x16", "2x1x1x16", "7, 7", ""));
  check(pool("max", "1x3x20x8", "1x3x20x8", "1, 17",
             ", pads = array<i64: 0, 8, 0, 8>"));
  check(pool("average", "1x6x18x8", "1x1x1x8", "6, 18", ""));
}

/// Every window that has a NaN is one; infinities stay.
TEST(CudaPools, NanAndInfinity) {
  check(pool("max", "1x8x8x8", "1x4x4x8", "3, 3", halved + padded, "f32"),
        false, [](cpu::TestTensor &input) {
          for (int64_t i = 0; i != input.elements(); ++i) {
            input.set(i, i % 97 == 5 ? NAN : -INFINITY);
          }
        });
}

TEST(CudaResizes, ModesAndRules) {
  for (const char *mode : {"nearest ", "bilinear "}) {
    for (const char *rule : {"half_pixel", "align_corners", "asymmetric"}) {
      std::string how = std::string(mode) + rule;
      check(resize(how, "2x5x7x16", "2x10x14x16", "10, 14"),
            /*hasResidual=*/true);
      check(resize(how, "1x9x8x12", "1x4x13x12", "4, 13", "f32"));
      check(resize(how, "1x6x5x6", "1x6x11x6", "6, 11", "f16"));
    }
  }
}

TEST(CudaResizes, OneLine) {
  check(resize("bilinear align_corners", "1x1x1x8", "1x3x4x8", "3, 4"));
  check(resize("bilinear align_corners", "1x5x4x8", "1x1x1x8", "1, 1"));
  check(resize("nearest half_pixel", "3x2x2x3", "3x1x5x3", "1, 5"));
}

TEST(CudaImages, PlanesOfNchw) {
  for (const char *kind : {"max", "average", "sum"}) {
    ImageCase image =
        pool(kind, "2x9x7x3", "2x5x4x3", "3, 3", halved + padded, "f16");
    check(inNchw(image));
    check(inNchw(image), /*hasResidual=*/true);
  }
  check(inNchw(pool("average", "1x7x9x5", "1x1x1x5", "7, 9")));
  for (const char *how : {"nearest asymmetric", "bilinear half_pixel"}) {
    check(inNchw(resize(how, "2x5x7x4", "2x10x13x4", "10, 13")),
          /*hasResidual=*/true);
  }
}

/// A cast from f32, a number for each channel, and relu ahead of the op, whose
/// pads are none of theirs.
void checkBehindOps(const ImageCase &image) {
  std::string x = image.input(), y = image.result();
  std::string wide = x.substr(0, x.rfind('x')) + "xf32>";
  bool isNhwc = image.after.find("nhwc") != std::string::npos;
  size_t second = image.from.find('x') + 1;
  std::string channels =
      isNhwc ? image.from.substr(image.from.rfind('x') + 1)
             : image.from.substr(second, image.from.find('x', second) - second);
  std::string numbers = "tensor<" + channels + (isNhwc ? "" : "x1x1") + "xf32>";
  std::string text = "%a = graph.add %0, %1 : (" + wide + ", " + numbers +
                     ") -> " + wide + "\n%c = graph.cast %a : " + wide +
                     " to " + x + "\n%r = graph.relu %c : " + x +
                     "\n%y = " + image.op("%r") + "%e = graph.exp %y : " + y +
                     "\nkernel.yield %e : " + y;
  SCOPED_TRACE(text);
  DeviceProfile profile = *getCudaProfile("h200");
  InterpretedFusion first({wide, numbers}, y, text);
  ASSERT_EQ(family.reject(first.fusion, profile), std::nullopt);
  size_t count = family.enumerate(first.fusion, profile).size();
  ASSERT_GT(count, 0u);
  for (size_t i = 0; i != count; ++i) {
    InterpretedFusion run({wide, numbers}, y, text);
    checkAgainstReference(run, family, family.enumerate(run.fusion, profile)[i],
                          profile);
  }
}

TEST(CudaImages, BehindPointwiseOps) {
  ImageCase pooled =
      pool("max", "2x9x7x24", "2x5x4x24", "3, 3", halved + padded);
  ImageCase averaged = pool("average", "1x7x7x16", "1x1x1x16", "7, 7", "");
  ImageCase resized =
      resize("bilinear half_pixel", "2x5x7x16", "2x10x13x16", "10, 13", "f16");
  for (const ImageCase &image : {pooled, averaged, resized}) {
    checkBehindOps(image);
    checkBehindOps(inNchw(image));
  }
}

/// Measured on an H200, microseconds: a factor of 1.4 either way.
TEST(CudaImages, ExpectsWhatWindowsOfWholeImagesTake) {
  struct Measured {
    ImageCase image;
    const char *name;
    double us;
  };
  ImageCase large = pool("average", "32x56x56x144", "32x1x1x144", "56, 56"),
            small = pool("average", "32x14x14x672", "32x1x1x672", "14, 14");
  for (const Measured &each :
       {Measured{large, "images 8x1 threads=64 pdl", 158},
        {large, "images 4x1 threads=64 pdl", 78.8},
        {small, "images 8x1 threads=64 pdl", 11.6},
        {small, "images 4x1 threads=64 pdl", 10.1}}) {
    ConvBody body = bodyOf(each.image, /*hasResidual=*/false);
    ParsedFusion parsed(body.arguments, body.result, body.text);
    double us = 0;
    for (const Implementation &offer :
         family.enumerate(parsed.get(), *getCudaProfile("h200"))) {
      us = offer.name == each.name ? offer.estimateUs : us;
    }
    EXPECT_GT(us, each.us / 1.4) << each.name;
    EXPECT_LT(us, each.us * 1.4) << each.name;
  }
}

std::string reasonFor(const std::string &arguments, const std::string &result,
                      const std::string &body) {
  ParsedFusion parsed({arguments}, result, body);
  return family.reject(parsed.get(), *getCudaProfile("h200"))
      .value_or("accepted");
}

TEST(CudaImages, SaysWhyNot) {
  ImageCase huge =
      pool("max", "16777216x8x8x8", "16777216x4x4x8", "2, 2", halved, "f32");
  EXPECT_EQ(reasonFor(huge.input(), huge.result(),
                      bodyOf(huge, /*hasResidual=*/false).text),
            "images too large");
}

TEST(CudaImages, RefusesBadSchedules) {
  ConvBody body =
      bodyOf(pool("max", "2x6x5x12", "2x3x2x12", "2, 2", halved), false);
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
        "#kernel.impl<family = \"images\", schedule = " + schedule + ">",
        context)));
    LaunchRecorder plan(context);
    EXPECT_TRUE(failed(family.lower(fusion, plan)));
    return error;
  };
  EXPECT_THAT(lower("{channels = 8 : i64, threads = 128 : i64}"),
              HasSubstr("channels are not next to each other"));
  EXPECT_THAT(lower("{channels = 3 : i64, threads = 128 : i64}"),
              HasSubstr("of powers of two"));
  EXPECT_THAT(lower("{}"), HasSubstr("expects a schedule"));
}

} // namespace
} // namespace minic::cuda
