// SPDX-License-Identifier: Apache-2.0
//
// Convolutions as matrix products: what families of GEMM kernels read of them.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_CONVOLUTIONVIEW_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_CONVOLUTIONVIEW_H

#include "compiler/target/codegen/ConvolutionProduct.h"

namespace minic::cuda {

using minic::isPlainProduct;

/// Whether each group has one channel of the input, and there are several.
bool isDepthwise(const graph::Conv2dGeometry &geometry);
bool isDepthwise(mlir::Operation *anchor);
/// A convolution that is neither.
bool isImplicitProduct(mlir::Operation *anchor);

/// Whether the GEMM that `shape` has reads windows of images (ImageMatrix).
bool readsImages(const kernel::FusionShape &shape);

/// The shape of a fusion with a convolution and pointwise ops after it, of
/// dtypes and operands that any family of convolutions takes; else why not.
mlir::FailureOr<kernel::FusionShape>
matchAnyConvolution(kernel::FusionOp fusion, std::string *reason);

/// The same that a family of implicit GEMMs takes, with its GEMM.
mlir::FailureOr<kernel::FusionShape> matchConvolution(kernel::FusionOp fusion,
                                                      std::string *reason);

/// viewAsGemm for families of plain GEMMs: does nothing to a contraction.
/// Why they do not take `shape`, null if they may.
const char *viewPlainProduct(kernel::FusionShape &shape);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_CONVOLUTIONVIEW_H
