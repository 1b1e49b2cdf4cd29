// SPDX-License-Identifier: Apache-2.0
//
// ConvolutionProduct: the matrix product that a convolution is.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_CONVOLUTIONPRODUCT_H
#define MINIC_COMPILER_TARGET_CODEGEN_CONVOLUTIONPRODUCT_H

#include "dialects/kernel/FusionShape.h"

namespace minic {

/// Whether a convolution is a product of matrices as they lie in memory:
/// [pixels, C] by [K, C], of NHWC images, one pixel and one group.
bool isPlainProduct(const graph::Conv2dGeometry &geometry);
/// False for other ops and unknown shapes, too.
bool isPlainProduct(mlir::Operation *anchor);

/// Of a convolution of static shape; none for other ops.
std::optional<graph::Conv2dGeometry> geometryOf(mlir::Operation *anchor);

/// Gives a convolution's `shape` the GEMM that computes it. K is of taps, then
/// channels of a group; groups are a batch.
///
/// - NHWC: lhs is the images, a row for each result pixel, rhs the filter.
/// - NCHW: lhs is the filter, rhs the images, so that results are rows too.
void viewAsGemm(kernel::FusionShape &shape);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_CONVOLUTIONPRODUCT_H
