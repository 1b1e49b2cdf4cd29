// SPDX-License-Identifier: Apache-2.0
//
// Which products convolutions are.

#include "compiler/target/cuda/gemm/ConvolutionView.h"

#include "compiler/target/cuda/gemm/ImageMatrix.h"

using namespace mlir;

namespace minic::cuda {

using graph::Conv2dGeometry;
using graph::ImageLayout;

bool isDepthwise(Operation *anchor) {
  auto geometry = geometryOf(anchor);
  return geometry && isDepthwise(*geometry);
}

bool isImplicitProduct(Operation *anchor) {
  return geometryOf(anchor) && !isPlainProduct(anchor) && !isDepthwise(anchor);
}

bool isDepthwise(const Conv2dGeometry &geometry) {
  return geometry.groups > 1 && geometry.inputChannelsPerGroup() == 1;
}

bool readsImages(const kernel::FusionShape &shape) {
  return shape.conv && !isPlainProduct(shape.conv->geometry);
}

FailureOr<kernel::FusionShape> matchAnyConvolution(kernel::FusionOp fusion,
                                                   std::string *reason) {
  auto fail = [&](const char *why) {
    *reason = why;
    return failure();
  };
  FailureOr<kernel::FusionShape> shape =
      kernel::FusionShape::get(fusion, reason);
  if (failed(shape)) {
    return failure();
  }
  if (!shape->conv) {
    return fail("no convolution in the body");
  }
  const kernel::ConvShape &conv = *shape->conv;
  if (!shape->prologue.empty()) {
    return fail("ops before the convolution");
  }
  if (conv.geometry.reductionLength() == 0) {
    return fail("sums of nothing");
  }
  Type type = conv.inputType;
  if (type != conv.filterType ||
      !(type.isF32() || type.isBF16() || type.isF16())) {
    return fail("operands that are not both bf16, f16 or f32");
  }
  // Its layout is unreadable for anyone else.
  if (!conv.filter.hasOneUse() || conv.input == conv.filter) {
    return fail("the filter has another use in the body");
  }
  // It is read as if it had the shape [K, 1, 1].
  if (conv.bias && conv.geometry.layout == ImageLayout::NCHW &&
      !conv.bias.hasOneUse()) {
    return fail("the bias has another use in the body");
  }
  return shape;
}

FailureOr<kernel::FusionShape> matchConvolution(kernel::FusionOp fusion,
                                                std::string *reason) {
  auto fail = [&](const std::string &why) {
    *reason = why;
    return failure();
  };
  auto shape = matchAnyConvolution(fusion, reason);
  if (failed(shape)) {
    return failure();
  }
  const Conv2dGeometry &geometry = shape->conv->geometry;
  if (isPlainProduct(geometry)) {
    return fail("a product of matrices, which families of GEMMs take");
  }
  if (isDepthwise(geometry)) {
    return fail("one channel in each group, which conv_depthwise takes");
  }
  viewAsGemm(*shape);
  ConvolutionMatrices matrices(*shape, /*pads=*/false);
  std::string why = ConvolutionMatrices::check(*shape, matrices);
  if (!why.empty()) {
    return fail(why);
  }
  return shape;
}

const char *viewPlainProduct(kernel::FusionShape &shape) {
  if (shape.gemm) {
    return nullptr;
  }
  if (!shape.conv || readsImages(shape)) {
    return "no linear or matmul in the body";
  }
  if (!shape.prologue.empty()) {
    return "ops before the convolution";
  }
  viewAsGemm(shape);
  return nullptr;
}

} // namespace minic::cuda
