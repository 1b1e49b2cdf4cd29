// SPDX-License-Identifier: Apache-2.0
//
// Conv2dGeometry: the extents of a graph.conv2d by name, so that nobody else
// needs to know their places in a layout.

#ifndef MINIC_DIALECTS_GRAPH_CONV2DGEOMETRY_H
#define MINIC_DIALECTS_GRAPH_CONV2DGEOMETRY_H

#include <cstdint>

namespace minic::graph {

enum class ImageLayout : uint32_t; // of Graph.h

/// result[n, k, p, q] = sum over c, r, s of filter[k, c, r, s] *
/// input[n, k / (outputChannels / groups) * (inputChannels / groups) + c,
///       p * strideHeight - padTop + r * dilationHeight,
///       q * strideWidth - padLeft + s * dilationWidth],
/// where the input is zero outside.
struct Conv2dGeometry {
  int64_t batch;
  int64_t inputChannels, inputHeight, inputWidth;
  int64_t outputChannels, outputHeight, outputWidth;
  int64_t filterHeight, filterWidth;
  int64_t strideHeight, strideWidth;
  int64_t padTop, padLeft, padBottom, padRight;
  int64_t dilationHeight, dilationWidth;
  int64_t groups;
  ImageLayout layout;

  int64_t inputChannelsPerGroup() const { return inputChannels / groups; }
  int64_t outputChannelsPerGroup() const { return outputChannels / groups; }

  /// Products per result element, those with pads included.
  int64_t reductionLength() const {
    return inputChannelsPerGroup() * filterHeight * filterWidth;
  }

  /// One sum per pixel over channels alone: a matmul of [pixels, C] where the
  /// layout is NHWC and no pixel is skipped.
  bool isPointwise() const {
    return filterHeight == 1 && filterWidth == 1 && strideHeight == 1 &&
           strideWidth == 1 && padTop == 0 && padLeft == 0 && padBottom == 0 &&
           padRight == 0;
  }

  bool operator==(const Conv2dGeometry &) const = default;
};

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_CONV2DGEOMETRY_H
