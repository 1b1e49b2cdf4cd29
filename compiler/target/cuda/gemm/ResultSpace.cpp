// SPDX-License-Identifier: Apache-2.0
//
// Groups of a convolution are channels next to each other, and in NCHW columns
// are pixels of all images.

#include "compiler/target/cuda/gemm/ResultSpace.h"

#include "compiler/target/cuda/gemm/ConvolutionView.h"

using namespace mlir;

namespace minic::cuda {

SpacePosition ResultSpace::at(CudaKernelBuilder &k, Value batch, Value row,
                              Value column, int64_t lanes) const {
  const kernel::GemmShape &gemm = *shape.gemm;
  if (!readsImages(shape)) {
    return {k.add(k.mul(batch, gemm.m), row), column, lanes};
  }
  const graph::Conv2dGeometry &g = shape.conv->geometry;
  if (g.layout == graph::ImageLayout::NHWC) {
    return {row, k.add(k.mul(batch, gemm.n), column), lanes};
  }
  int64_t pixels = g.outputHeight * g.outputWidth;
  Value channel = k.add(k.mul(batch, gemm.m), row);
  Value plane = k.add(k.mul(k.div(column, pixels), g.outputChannels), channel);
  Value pixel = k.rem(column, pixels);
  Value line = k.add(k.mul(plane, g.outputHeight), k.div(pixel, g.outputWidth));
  return {line, k.rem(pixel, g.outputWidth), lanes};
}

} // namespace minic::cuda
