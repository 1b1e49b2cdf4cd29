// SPDX-License-Identifier: Apache-2.0
//
// Which layouts the images and the filter are asked for in.

#include "compiler/target/cuda/gemm/ImageMatrix.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace minic::cuda {

using graph::Conv2dGeometry;
using graph::ImageLayout;

/// What memory requests are made of.
constexpr int64_t accessBytes = 16;

static bool reachesOut(int64_t input, int64_t output, int64_t filter,
                       int64_t stride, int64_t dilation, int64_t pad) {
  int64_t last = (output - 1) * stride - pad + (filter - 1) * dilation;
  return pad > 0 || last >= input;
}

/// Of the windows along one dimension, the taps inside of that with the fewest,
/// of those that have any.
static int64_t fewestTaps(int64_t outputs, int64_t taps, int64_t stride,
                          int64_t pad, int64_t dilation, int64_t extent) {
  int64_t fewest = taps;
  for (int64_t output = 0; output != outputs; ++output) {
    int64_t inside = 0;
    for (int64_t tap = 0; tap != taps; ++tap) {
      int64_t at = output * stride - pad + tap * dilation;
      inside += at >= 0 && at < extent;
    }
    fewest = inside > 0 ? std::min(fewest, inside) : fewest;
  }
  return fewest;
}

int64_t ImageMatrix::fewestProducts() const {
  return fewestTaps(conv.outputHeight, conv.filterHeight, conv.strideHeight,
                    conv.padTop, conv.dilationHeight, conv.inputHeight) *
         fewestTaps(conv.outputWidth, conv.filterWidth, conv.strideWidth,
                    conv.padLeft, conv.dilationWidth, conv.inputWidth) *
         conv.inputChannelsPerGroup();
}

bool ImageMatrix::padsHeight() const {
  return reachesOut(conv.inputHeight, conv.outputHeight, conv.filterHeight,
                    conv.strideHeight, conv.dilationHeight, conv.padTop);
}

bool ImageMatrix::padsWidth() const {
  return reachesOut(conv.inputWidth, conv.outputWidth, conv.filterWidth,
                    conv.strideWidth, conv.dilationWidth, conv.padLeft);
}

static GemmOperand describe(Value value) {
  GemmOperand operand;
  operand.value = value;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    operand.argument = argument.getArgNumber();
  }
  operand.type = getElementTypeOrSelf(value.getType());
  operand.layout = UnitAttr::get(value.getContext());
  return operand;
}

/// Zeros behind the channels of a pixel make it a multiple of 8 bytes, or of 16
/// where it is longer than that.
static int64_t paddedChannels(int64_t channels, int64_t bytes) {
  return channels * bytes <= 8
             ? 8 / bytes
             : int64_t(llvm::alignTo(channels, accessBytes / bytes));
}

/// The fewest zeros that make a row of the filter a multiple of 16 bytes.
static void padTaps(ImageMatrix &image, int64_t bytes) {
  int64_t unit = accessBytes / bytes;
  std::array<int64_t, 3> best = {image.tapRows, image.tapColumns,
                                 int64_t(llvm::alignTo(image.channels, unit))};
  for (int64_t r = image.tapRows; r != image.tapRows + unit; ++r) {
    for (int64_t s = image.tapColumns; s != image.tapColumns + unit; ++s) {
      for (int64_t c = image.channels; c != image.channels + unit; ++c) {
        if (r * s * c % unit == 0 && r * s * c < llvm::product_of(best)) {
          best = {r, s, c};
        }
      }
    }
  }
  image.tapRows = best[0], image.tapColumns = best[1];
  image.channels = best[2];
}

/// Strides of the input, dense in its layout or as [N, H, W, channels].
static void setStrides(ImageMatrix &image, bool isChannelsLast,
                       int64_t channels) {
  const Conv2dGeometry &g = image.conv;
  int64_t pixels = g.inputHeight * g.inputWidth;
  image.pixelStride = isChannelsLast ? channels : 1;
  image.channelStride = isChannelsLast ? 1 : pixels;
  image.lineStride = g.inputWidth * image.pixelStride;
  image.imageStride = pixels * channels;
  image.elements = g.batch * image.imageStride;
}

ConvolutionMatrices::ConvolutionMatrices(const kernel::FusionShape &shape,
                                         bool pads)
    : images(describe(shape.conv->input)),
      filter(describe(shape.conv->filter)) {
  const Conv2dGeometry &g = image.conv = shape.conv->geometry;
  MLIRContext *context = images.type.getContext();
  bool isNhwc = g.layout == ImageLayout::NHWC;
  int64_t bytes = images.elementBytes(), perGroup = g.inputChannelsPerGroup();
  image.tapRows = g.filterHeight, image.tapColumns = g.filterWidth;
  image.channels = perGroup;
  int64_t padded = paddedChannels(perGroup, bytes);
  image.isPadded = pads && g.groups == 1 && padded != perGroup;
  if (image.isPadded) {
    image.channels = padded;
  }
  int64_t pixelBytes = image.channels * bytes;
  bool areApart = !isNhwc && pixelBytes < accessBytes && !image.isPadded;
  image.gathers = pixelBytes % 4 != 0 || areApart;
  int64_t channels = image.isPadded ? padded : g.inputChannels;
  bool isSame = g.inputChannels == 1 || g.inputHeight * g.inputWidth == 1;
  setStrides(image, !image.gathers || isNhwc, channels);
  if (image.isPadded || (!image.gathers && !isNhwc && !isSame)) {
    SmallVector<int64_t> order = {0, 1, 2, 3};
    SmallVector<int64_t> extents(
        cast<RankedTensorType>(images.value.getType()).getShape());
    if (!isNhwc) {
      order = {0, 2, 3, 1};
    }
    extents[isNhwc ? 3 : 1] = channels;
    images.layout = kernel::LayoutAttr::get(context, order, {}, {}, extents);
  }
  if (image.gathers) {
    padTaps(image, bytes);
  }
  images.rows = image.rows();
  images.k = images.paddedK = image.k();
  // A gathered row is stored by 16 bytes.
  images.accessBytes =
      image.gathers ? accessBytes : std::gcd(accessBytes, pixelBytes);

  filter.rows = g.outputChannelsPerGroup();
  filter.k = filter.paddedK = filter.pitch = image.k();
  filter.accessBytes = std::gcd(accessBytes, image.k() * bytes);
  bool hasZeros = image.k() != g.reductionLength();
  if (hasZeros || (perGroup > 1 && g.filterHeight * g.filterWidth > 1)) {
    filter.layout = kernel::LayoutAttr::get(
        context, {0, 2, 3, 1}, {}, {},
        {g.outputChannels, image.channels, image.tapRows, image.tapColumns});
  }
  if (g.groups > 1) {
    images.batchStrides = {perGroup * image.channelStride};
    filter.batchStrides = {filter.rows * filter.pitch};
  }
}

std::string ConvolutionMatrices::check(const kernel::FusionShape &shape,
                                       const ConvolutionMatrices &matrices) {
  const kernel::ConvShape &conv = *shape.conv;
  auto isRelaidForOthers = [&](const GemmOperand &operand) {
    return !operand.isDense() &&
           (!operand.value.hasOneUse() || conv.input == conv.filter);
  };
  if (isRelaidForOthers(matrices.images) ||
      isRelaidForOthers(matrices.filter)) {
    return relaidForOthers;
  }
  // Offsets have 32 bits, and a window may begin before its image. Lines and
  // columns are fewer than what is added to those that are outside.
  constexpr int64_t most = INT32_MAX / 2;
  const Conv2dGeometry &g = conv.geometry;
  for (int64_t extent :
       {matrices.image.elements, matrices.image.k(), 4 * g.inputHeight,
        4 * g.inputWidth, g.padTop, g.padLeft, g.padBottom, g.padRight,
        g.filterHeight * g.dilationHeight, g.filterWidth * g.dilationWidth,
        (g.padTop + g.filterHeight * g.dilationHeight) *
            matrices.image.lineStride}) {
    if (extent > most) {
      return "images too large";
    }
  }
  return "";
}

} // namespace minic::cuda
