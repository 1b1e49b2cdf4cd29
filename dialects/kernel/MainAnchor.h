// SPDX-License-Identifier: Apache-2.0
//
// MainAnchor: the op that a fusion's body is about.

#ifndef MINIC_DIALECTS_KERNEL_MAINANCHOR_H
#define MINIC_DIALECTS_KERNEL_MAINANCHOR_H

#include "dialects/kernel/Kernel.h"

namespace minic::kernel {

/// The first contraction or convolution of the body, else its first anchor;
/// null where it has none.
mlir::Operation *getMainAnchor(FusionOp fusion);

/// The one contraction of a body whose other anchors, at least one, are norms
/// and the like that make its operands; null for any other body.
mlir::Operation *getProductOfRows(FusionOp fusion);

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_MAINANCHOR_H
