// SPDX-License-Identifier: Apache-2.0
//
// ImageMatrix: the images of a convolution as a matrix of windows, which a GEMM
// kernel never writes out.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_IMAGEMATRIX_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_IMAGEMATRIX_H

#include "compiler/target/cuda/gemm/GemmOperand.h"

namespace minic::cuda {

/// Row m is the window of result pixel m, in the order [N, P, Q]. Its elements
/// are those of taps [tapRows, tapColumns], each of `channels` channels, as in
/// a row of the filter. Strides count elements of the input as it lies.
struct ImageMatrix {
  graph::Conv2dGeometry conv;
  int64_t tapRows = 0, tapColumns = 0, channels = 0;
  int64_t imageStride = 0, lineStride = 0, pixelStride = 0, channelStride = 0;
  /// Whether elements are loaded one by one: channels of a pixel are no
  /// multiple of 4 bytes, or lie apart.
  bool gathers = false;
  /// Whether channels are asked for with zeros behind them.
  bool isPadded = false;
  /// Elements of the input as it lies.
  int64_t elements = 0;

  int64_t rows() const {
    return conv.batch * conv.outputHeight * conv.outputWidth;
  }
  int64_t taps() const { return tapRows * tapColumns; }
  int64_t k() const { return taps() * channels; }
  /// Products of the sum that has the fewest where windows reach beyond the
  /// image, of those that have any: what is outside is zero and counts nothing.
  int64_t fewestProducts() const;
  /// Whether windows reach beyond the image's height or width.
  bool padsHeight() const;
  bool padsWidth() const;
};

/// Both operands of the implicit GEMM.
struct ConvolutionMatrices {
  ImageMatrix image;
  /// Of `images` only rows, K, layout, batch strides and access are meant.
  GemmOperand images, filter;

  /// Of a convolution that viewAsGemm has seen. `pads`: whether channels that
  /// are too few for wide copies are asked for with zeros.
  ConvolutionMatrices(const kernel::FusionShape &shape, bool pads);

  /// Why no kernel can read them; empty if one can.
  static std::string check(const kernel::FusionShape &shape,
                           const ConvolutionMatrices &matrices);
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_IMAGEMATRIX_H
