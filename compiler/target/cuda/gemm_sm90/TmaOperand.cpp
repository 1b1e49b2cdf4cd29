// SPDX-License-Identifier: Apache-2.0
//
// Dimensions and strides as cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col
// want them.

#include "compiler/target/cuda/gemm_sm90/TmaOperand.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

/// What strides are multiples of, and most dimensions, of a tensor map.
constexpr int64_t strideUnit = 16;
constexpr size_t maxRank = 5;
constexpr int64_t maxStride = (int64_t(1) << 40) - 1;

TmaOperand::TmaOperand(const GemmOperand &operand, ArrayRef<int64_t> batch,
                       int64_t boxRows, int64_t boxK)
    : argument(operand.argument), type(operand.type),
      dims({operand.k, operand.rows}), box({boxK, boxRows}) {
  if (operand.k == 0 || operand.rows == 0 || llvm::is_contained(batch, 0)) {
    why = "TMA copies no operand without elements";
    return;
  }
  int64_t bytes = operand.elementBytes();
  // Nothing steps over a single row.
  strides.push_back(
      operand.rows > 1 ? operand.pitch * bytes
                       : int64_t(llvm::alignTo(operand.k * bytes, strideUnit)));
  int64_t divisor = 1;
  for (size_t d = operand.batchStrides.size(); d-- > 0;) {
    int64_t extent = batch[d], stride = operand.batchStrides[d] * bytes;
    if (extent > 1 && stride != 0) {
      bool goesOn =
          !batchDims.empty() &&
          batchDims.back().divisor * batchDims.back().extent == divisor &&
          strides.back() * dims.back() == stride;
      if (goesOn) {
        batchDims.back().extent = dims.back() *= extent;
      } else {
        batchDims.push_back({divisor, extent});
        dims.push_back(extent);
        strides.push_back(stride);
        box.push_back(1);
      }
    }
    divisor *= extent;
  }
  if (dims.size() > maxRank) {
    why = "TMA has fewer dimensions than the operand's batches";
  }
  for (auto [i, stride] : llvm::enumerate(strides)) {
    if (stride % strideUnit != 0 || stride > maxStride) {
      why = "TMA needs rows of a multiple of 16 bytes";
    } else if (i > 0 && stride % strides[i - 1] != 0) {
      why = "TMA needs batches of a multiple of rows";
    }
  }
}

namespace {

/// Pixels of one dimension of images.
struct Pixels {
  int64_t lower, upper, step, lastTap;

  Pixels(int64_t input, int64_t output, int64_t filter, int64_t stride,
         int64_t dilation, int64_t pad)
      : lower(-pad), step(stride), lastTap((filter - 1) * dilation) {
    // The last window begins at the last pixel.
    upper = (output - 1) * stride - pad - (input - 1);
  }

  /// The corners have 8 bits each, the distance to a tap 8 without a sign.
  bool fit() const {
    auto isCorner = [](int64_t value) { return value >= -128 && value <= 127; };
    return isCorner(lower) && isCorner(upper) && step <= 8 && lastTap <= 255;
  }
};

} // namespace

static std::array<Pixels, 2> pixelsOf(const graph::Conv2dGeometry &g) {
  return {Pixels(g.inputWidth, g.outputWidth, g.filterWidth, g.strideWidth,
                 g.dilationWidth, g.padLeft),
          Pixels(g.inputHeight, g.outputHeight, g.filterHeight, g.strideHeight,
                 g.dilationHeight, g.padTop)};
}

TmaOperand::TmaOperand(const GemmOperand &operand, const ImageMatrix &image,
                       int64_t boxRows, int64_t boxK)
    : argument(operand.argument), type(operand.type), box({boxK, boxRows}),
      image(image) {
  const graph::Conv2dGeometry &g = image.conv;
  int64_t bytes = operand.elementBytes();
  dims = {image.pixelStride, g.inputWidth, g.inputHeight, g.batch};
  strides = {image.pixelStride * bytes, image.lineStride * bytes,
             image.imageStride * bytes};
  auto pixels = pixelsOf(g);
  if (llvm::is_contained(dims, 0) || image.rows() == 0) {
    why = "TMA copies no operand without elements";
  } else if (image.gathers || image.channels % boxK != 0) {
    why = "TMA copies windows of a multiple of " + std::to_string(boxK) +
          " channels";
  } else if (!pixels[0].fit() || !pixels[1].fit()) {
    why = "TMA steps over at most 8 pixels, and over 127 at the border";
  } else if (strides.back() > maxStride) {
    why = "images too large for TMA";
  }
}

plan::TensorMapAttr TmaOperand::map() const {
  Builder b(type.getContext());
  plan::Im2colAttr im2col;
  if (image) {
    auto [columns, lines] = pixelsOf(image->conv);
    im2col = plan::Im2colAttr::get(
        type.getContext(), b.getDenseI64ArrayAttr({columns.lower, lines.lower}),
        b.getDenseI64ArrayAttr({columns.upper, lines.upper}),
        b.getDenseI64ArrayAttr({columns.step, lines.step}));
  }
  return plan::TensorMapAttr::get(type.getContext(), argument, type,
                                  b.getDenseI64ArrayAttr(dims),
                                  b.getDenseI64ArrayAttr(strides),
                                  b.getDenseI64ArrayAttr(box), 128, im2col);
}

} // namespace minic::cuda
