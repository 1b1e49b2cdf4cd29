// SPDX-License-Identifier: Apache-2.0
//
// PackedRhs: which fusions families take that multiply by a packed rhs, and how
// they pack it.

#ifndef MINIC_COMPILER_TARGET_CPU_PACKEDRHS_H
#define MINIC_COMPILER_TARGET_CPU_PACKEDRHS_H

#include "compiler/target/cpu/WindowRows.h"
#include "dialects/kernel/FusionShape.h"

namespace minic::cpu {

/// The shape of a fusion with one contraction and what follows it, or why there
/// is none.
mlir::FailureOr<kernel::FusionShape> matchPackedGemm(kernel::FusionOp fusion,
                                                     std::string *reason);
/// Whether `anchor` is a contraction, or a convolution of NHWC images with one
/// group.
bool isPackedProduct(mlir::Operation *anchor);
/// As matchPackedGemm, for fusions with such an anchor. A convolution has the
/// GEMM that computes it, with the K of its windowsOf.
mlir::FailureOr<kernel::FusionShape> matchPackedProduct(kernel::FusionOp fusion,
                                                        std::string *reason);

/// The rows of `shape` that have to be gathered: those of a convolution that
/// matchPackedProduct took, unless its images are the lhs as they lie.
std::optional<WindowRows> windowsOf(const kernel::FusionShape &shape);

/// rhs in panels of `width` columns, words of `wordElements` elements of K
/// inside: [panels][paddedK / wordElements][width][wordElements]. What is not
/// there is zero. K of windows is padded as their rows are.
kernel::LayoutAttr getPanelLayout(const kernel::FusionShape &shape,
                                  int64_t width, int64_t wordElements,
                                  int64_t paddedK);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_PACKEDRHS_H
