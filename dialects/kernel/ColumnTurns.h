// SPDX-License-Identifier: Apache-2.0
//
// ColumnTurns: products whose columns are two results' in turn, such as a gate
// and a value.

#ifndef MINIC_DIALECTS_KERNEL_COLUMNTURNS_H
#define MINIC_DIALECTS_KERNEL_COLUMNTURNS_H

#include "dialects/graph/Graph.h"

#include <array>
#include <optional>

namespace minic::kernel {

/// The slices that alone read the result of `product`, a contraction: of the
/// columns 0, 2, 4, ... and of 1, 3, 5, ..., all rows. None where it is read
/// otherwise, or where one of them is a view.
std::optional<std::array<graph::SliceOp, 2>>
getColumnTurns(mlir::Operation *product);

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_COLUMNTURNS_H
