// SPDX-License-Identifier: Apache-2.0
//
// PackedRhs: which fusions families take that multiply by a packed rhs, and how
// they pack it.

#ifndef MINIC_COMPILER_TARGET_CPU_PACKEDRHS_H
#define MINIC_COMPILER_TARGET_CPU_PACKEDRHS_H

#include "dialects/kernel/FusionShape.h"

namespace minic::cpu {

/// The shape of a fusion with one contraction and what follows it, or why there
/// is none.
mlir::FailureOr<kernel::FusionShape> matchPackedGemm(kernel::FusionOp fusion,
                                                     std::string *reason);
/// The same, where a convolution that is a product of matrices as they lie
/// counts as a contraction.
mlir::FailureOr<kernel::FusionShape> matchPackedProduct(kernel::FusionOp fusion,
                                                        std::string *reason);

/// rhs in panels of `width` columns, words of `wordElements` elements of K
/// inside: [panels][paddedK / wordElements][width][wordElements]. What is not
/// there is zero.
kernel::LayoutAttr getPanelLayout(const kernel::FusionShape &shape,
                                  int64_t width, int64_t wordElements,
                                  int64_t paddedK);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_PACKEDRHS_H
