// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of oneDNN convolutions.

#include "compiler/target/cpu/onednn/OnednnConvolution.h"

#include "compiler/target/cpu/WeightBandwidth.h"
#include "compiler/target/cpu/onednn/OnednnCallWriter.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace minic::cpu {

using graph::Conv2dGeometry;
using graph::ImageLayout;
using kernel::ConvShape;
using kernel::FusionOp;
using kernel::FusionShape;

static Type resultElement(const FusionShape &shape) {
  return getElementTypeOrSelf(shape.results[0].getType());
}

/// More pads than keep an image's size on one side, or a filter larger than the
/// image: oneDNN's kernels do not take all of these, and what it falls back to
/// applies binary post-ops to the wrong elements (the runtime refuses that).
static bool isMostlyPads(const Conv2dGeometry &g) {
  int64_t height = (g.filterHeight - 1) * g.dilationHeight;
  int64_t width = (g.filterWidth - 1) * g.dilationWidth;
  return 2 * std::max(g.padTop, g.padBottom) > height ||
         2 * std::max(g.padLeft, g.padRight) > width ||
         height >= g.inputHeight || width >= g.inputWidth;
}

/// A few channels to a group: oneDNN's AVX2 kernels take multiples of 8 (or one
/// channel), and what it falls back to is as wrong as for isMostlyPads.
static bool hasOddGroups(const Conv2dGeometry &g) {
  int64_t inputs = g.inputChannelsPerGroup();
  int64_t outputs = g.outputChannels / g.groups;
  return g.groups > 1 && inputs > 1 && (inputs % 8 != 0 || outputs % 8 != 0);
}

static bool hasBinary(ArrayRef<PostOp> postOps) {
  return llvm::any_of(
      postOps, [](const PostOp &postOp) { return bool(postOp.operand); });
}

/// Pixels of a result that oneDNN takes the time of. In NCHW its GEMMs have a
/// column for each, so that the 49 of a 7x7 image leave a quarter of their
/// lanes idle: such convolutions reached 59 to 84 percent of a Zen 4's peak,
/// those of larger images in NHWC 92 to 108.
static int64_t usedPixels(const Conv2dGeometry &g) {
  constexpr int64_t lanes = 16;
  int64_t pixels = g.outputHeight * g.outputWidth;
  return g.layout == ImageLayout::NCHW ? int64_t(llvm::alignTo(pixels, lanes))
                                       : pixels;
}

/// What kernels without AVX-512 take longer in f32 of NHWC, measured on a Zen 3
/// (oneDNN 2.6.3): filters of several taps 1.1 to 2.1 times as long as those of
/// one (eight of ResNet-50), residuals 1.3 to 2.1 ns an element (four), and
/// activations beside relu 1 to 1.9 ns (six of EfficientNet-B0).
static double narrowUs(const FusionShape &shape, ArrayRef<PostOp> postOps,
                       double productsUs) {
  constexpr double tapsFactor = 1.4, binaryNs = 1.8, eltwiseNs = 1.4;
  const Conv2dGeometry &g = shape.conv->geometry;
  bool hasTaps = g.groups == 1 && g.filterHeight * g.filterWidth > 1;
  double perElement = 0;
  for (const PostOp &postOp : postOps) {
    perElement += postOp.operand          ? binaryNs
                  : postOp.kind == "relu" ? 0
                                          : eltwiseNs;
  }
  return (hasTaps ? (tapsFactor - 1) * productsUs : 0) +
         double(llvm::product_of(shape.space)) * perElement * 1e-3;
}

/// What oneDNN takes longer than its products, measured on a thread of a Zen 4
/// (oneDNN 2.6.3). In NHWC binary post-ops of bf16 take 0.4 to 1.4 ns an
/// element, those of f32 about 0.25 where images are larger than L2. NCHW
/// images are computed by a GEMM-based convolution: post-ops go over the result
/// once more, binary ones element by element, and a channel of its own is a
/// GEMM of its own.
static double otherUs(const FusionShape &shape, ArrayRef<PostOp> postOps,
                      double productsUs, const DeviceProfile &profile) {
  // Residuals and numbers for each channel 81 to 95 ns, relu 0.5 to 0.8,
  // hard_swish 5.5 to 9.7; depthwise 3x3 and 5x5 0.6 to 0.8 ns a product.
  constexpr double binaryNs = 85, reluNs = 0.7, eltwiseNs = 6, productNs = 0.7;
  const Conv2dGeometry &g = shape.conv->geometry;
  double elements = double(llvm::product_of(shape.space));
  if (g.layout == ImageLayout::NHWC) {
    bool isBf16 = shape.conv->inputType.isBF16();
    if (!isBf16 && !profile.has("avx512f")) {
      int threads = std::max(profile.threads, 1);
      return narrowUs(shape, postOps, productsUs * threads) / threads;
    }
    bool isSmall = !isBf16 && 4 * elements <= double(profile.l2Bytes);
    double ns = !hasBinary(postOps) || isSmall ? 0 : isBf16 ? 1 : 0.25;
    return elements * ns * 1e-3 / std::max(profile.threads, 1);
  }
  double perElement = 0;
  for (const PostOp &postOp : postOps) {
    perElement += postOp.operand          ? binaryNs
                  : postOp.kind == "relu" ? reluNs
                                          : eltwiseNs;
  }
  if (g.groups > 1 && g.inputChannelsPerGroup() == 1) {
    perElement += productNs * double(g.reductionLength());
  }
  double us = elements * perElement * 1e-3;
  // The GEMM's operand is gathered from the images, a row for each tap. Up to
  // 3.6 MB of it cost nothing (1 MB of L2), 7 to 14 MB 0.5 to 0.9 ns an
  // element. Beside the products of AMX none is small: 0.8 to 1.4 ns an element
  // of five convolutions of ResNet-50. In f32 an Emerald Rapids took 0.8 to 2.1
  // ns for 0.6 to 7 MB (eight convolutions of 3 to 128 channels).
  // On a Zen 3 three first layers took 2.2 to 3.9 ns.
  constexpr double gatheredNs = 0.6, besideTilesNs = 1.1, slowL3Ns = 1.4,
                   narrowNs = 2.2;
  double gathered = double(g.outputHeight * g.outputWidth) * double(g.batch) *
                    double(g.inputChannels * g.filterHeight * g.filterWidth);
  double bytes =
      gathered * double(kernel::getElementBytes(shape.conv->inputType));
  bool gathers = g.groups == 1 && g.filterHeight * g.filterWidth > 1;
  bool usesTiles = shape.conv->inputType.isBF16() && profile.has("amx-bf16");
  if (gathers && usesTiles) {
    us += gathered * besideTilesNs * 1e-3;
  } else if (gathers && !profile.has("avx512f")) {
    us += gathered * narrowNs * 1e-3;
  } else if (gathers && waitsForL3(profile)) {
    us += gathered * slowL3Ns * 1e-3;
  } else if (gathers && bytes > 4 * double(profile.l2Bytes)) {
    us += gathered * gatheredNs * 1e-3;
  }
  return us / std::max(profile.threads, 1);
}

/// Null where oneDNN computes `shape`; fills `postOps`.
static std::optional<std::string> rejectShape(const FusionShape &shape,
                                              bool fuses,
                                              SmallVector<PostOp> &postOps) {
  if (!shape.conv) {
    return "no convolution";
  }
  const ConvShape &conv = *shape.conv;
  const Conv2dGeometry &g = conv.geometry;
  if (conv.inputType.isF16()) {
    return "oneDNN 2.6.3 has no f16";
  }
  if (!shape.prologue.empty()) {
    return "ops before the convolution";
  }
  if (g.batch * g.outputChannels * g.inputChannelsPerGroup() == 0) {
    return "empty convolution";
  }
  if (!fuses && !shape.epilogue.empty()) {
    return "ops after the convolution";
  }
  std::string reason;
  auto chain = getPostOps(shape, reason);
  if (failed(chain)) {
    return reason;
  }
  postOps = *chain;
  if (hasBinary(postOps) && g.layout == ImageLayout::NHWC && isMostlyPads(g)) {
    return "oneDNN 2.6.3 is wrong about binary post-ops of widely padded NHWC "
           "images";
  }
  Type result = resultElement(shape);
  if (!result.isF32() && !(result.isBF16() && conv.inputType.isBF16())) {
    return "oneDNN 2.6.3 has no such result dtype for these operands";
  }
  return std::nullopt;
}

std::optional<std::string>
OnednnConvolution::reject(FusionOp fusion, const DeviceProfile &profile) const {
  if (!profile.onednnProblem.empty()) {
    return profile.onednnProblem;
  }
  std::string reason;
  auto shape = FusionShape::get(fusion, &reason);
  if (failed(shape)) {
    return reason;
  }
  if (shape->conv && shape->conv->inputType.isBF16() &&
      profile.onednnGflops16 == 0) {
    return noBf16.str();
  }
  SmallVector<PostOp> postOps;
  if (auto rejected = rejectShape(*shape, fuses_, postOps)) {
    return rejected;
  }
  const Conv2dGeometry &g = shape->conv->geometry;
  if (!profile.has("avx512f") && hasBinary(postOps) &&
      g.layout == ImageLayout::NHWC && hasOddGroups(g)) {
    return "oneDNN 2.6.3 without AVX-512 is wrong about binary post-ops of "
           "NHWC groups of a few channels";
  }
  return std::nullopt;
}

std::vector<Implementation>
OnednnConvolution::enumerate(FusionOp fusion,
                             const DeviceProfile &profile) const {
  auto shape = FusionShape::get(fusion, nullptr);
  const Conv2dGeometry &g = shape->conv->geometry;
  double flops = 2.0 * double(usedPixels(g)) * g.batch * g.outputChannels *
                 g.reductionLength();
  OnednnWork work = {.flops = flops, .isBf16 = shape->conv->inputType.isBF16()};
  Implementation implementation =
      onednnImplementation(fusion, name(), work, profile);
  SmallVector<PostOp> postOps;
  (void)rejectShape(*shape, fuses_, postOps);
  implementation.estimateUs +=
      otherUs(*shape, postOps, implementation.estimateUs, profile);
  return {implementation};
}

std::string OnednnConvolution::opsThatLoseNan(FusionOp fusion) const {
  auto shape = FusionShape::get(fusion, nullptr);
  SmallVector<PostOp> postOps;
  if (failed(shape) || rejectShape(*shape, fuses_, postOps)) {
    return {};
  }
  return namesThatLoseNan(postOps);
}

/// Strides of [N, C, H, W] in `layout`.
static SmallVector<int64_t> imageStrides(ImageLayout layout, int64_t channels,
                                         int64_t height, int64_t width) {
  if (layout == ImageLayout::NCHW) {
    return {channels * height * width, height * width, width, 1};
  }
  return {height * width * channels, 1, width * channels, channels};
}

LogicalResult OnednnConvolution::lower(FusionOp fusion,
                                       plan::PlanBuilder &plan) const {
  if (failed(checkNoSchedule(fusion, name()))) {
    return failure();
  }
  std::string reason;
  auto shape = FusionShape::get(fusion, &reason);
  SmallVector<PostOp> postOps;
  std::optional<std::string> rejected =
      failed(shape) ? reason : rejectShape(*shape, fuses_, postOps);
  if (rejected) {
    return fusion.emitError(name()) << " cannot implement this: " << *rejected;
  }
  const ConvShape &conv = *shape->conv;
  const Conv2dGeometry &g = conv.geometry;
  OnednnCallWriter call(fusion, plan, "convolution");
  call.read(
      "input", conv.input, conv.inputType,
      {g.batch, g.inputChannels, g.inputHeight, g.inputWidth},
      imageStrides(g.layout, g.inputChannels, g.inputHeight, g.inputWidth));
  call.read("filter", conv.filter, conv.filterType,
            {g.outputChannels, g.inputChannelsPerGroup(), g.filterHeight,
             g.filterWidth},
            imageStrides(ImageLayout::NCHW, g.inputChannelsPerGroup(),
                         g.filterHeight, g.filterWidth));
  if (conv.bias) {
    call.read("bias", conv.bias, conv.inputType, {g.outputChannels}, {1});
  }
  call.setPostOps(postOps);
  call.result(ResultView::get(*shape), resultElement(*shape));
  call.set("strides", ArrayRef<int64_t>({g.strideHeight, g.strideWidth}));
  call.set("pads_begin", ArrayRef<int64_t>({g.padTop, g.padLeft}));
  call.set("pads_end", ArrayRef<int64_t>({g.padBottom, g.padRight}));
  call.set("dilations", ArrayRef<int64_t>({g.dilationHeight, g.dilationWidth}));
  call.set("groups", g.groups);
  call.setPack("pack_filter", conv.filter);
  call.write(name());
  return success();
}

} // namespace minic::cpu
