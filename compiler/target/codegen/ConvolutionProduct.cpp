// SPDX-License-Identifier: Apache-2.0
//
// Extents of the product that a convolution is.

#include "compiler/target/codegen/ConvolutionProduct.h"

using namespace mlir;

namespace minic {

using graph::Conv2dGeometry;
using graph::ImageLayout;

bool isPlainProduct(const Conv2dGeometry &geometry) {
  return geometry.isPointwise() && geometry.groups == 1 &&
         geometry.layout == ImageLayout::NHWC;
}

std::optional<Conv2dGeometry> geometryOf(Operation *anchor) {
  auto conv = dyn_cast_if_present<graph::Conv2dOp>(anchor);
  bool isKnown = conv && conv.getType().hasStaticShape() &&
                 conv.getInput().getType().hasStaticShape();
  return isKnown ? std::optional(conv.getGeometry()) : std::nullopt;
}

bool isPlainProduct(Operation *anchor) {
  auto geometry = geometryOf(anchor);
  return geometry && isPlainProduct(*geometry);
}

void viewAsGemm(kernel::FusionShape &shape) {
  const kernel::ConvShape &conv = *shape.conv;
  const Conv2dGeometry &g = conv.geometry;
  kernel::GemmShape gemm;
  int64_t pixels = g.batch * g.outputHeight * g.outputWidth;
  bool isNhwc = g.layout == ImageLayout::NHWC;
  gemm.m = isNhwc ? pixels : g.outputChannelsPerGroup();
  gemm.n = isNhwc ? g.outputChannelsPerGroup() : pixels;
  gemm.k = g.reductionLength();
  gemm.lhs = isNhwc ? conv.input : conv.filter;
  gemm.rhs = isNhwc ? conv.filter : conv.input;
  gemm.bias = conv.bias;
  // Of a plain product; a window's elements have no one stride.
  gemm.lhsStrideM = gemm.rhsStrideN = gemm.k;
  gemm.lhsStrideK = gemm.rhsStrideK = 1;
  gemm.lhsType = gemm.rhsType = conv.inputType;
  gemm.resultType = conv.resultType;
  if (g.groups > 1) {
    gemm.batch = {g.groups};
  }
  shape.gemm = gemm;
}

} // namespace minic
