// SPDX-License-Identifier: Apache-2.0
//
// What verifiers of ops along dimensions check, with one line for each fault.

#ifndef MINIC_DIALECTS_GRAPH_AXISCHECK_H
#define MINIC_DIALECTS_GRAPH_AXISCHECK_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

#include <optional>

namespace minic::graph {

/// True where extents agree or one of them is not known yet.
bool mayAgree(int64_t a, int64_t b);
/// The same for all of two shapes of one rank.
bool mayAgree(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// 0 <= `axis` < rank of `type`; says so for 'graph.`op`' otherwise.
mlir::LogicalResult checkAxis(std::optional<mlir::Location> loc,
                              llvm::StringRef op, int64_t axis,
                              mlir::RankedTensorType type);

/// The same, and an extent of 1 or more there.
mlir::LogicalResult checkNonEmptyAxis(std::optional<mlir::Location> loc,
                                      llvm::StringRef op, int64_t axis,
                                      mlir::RankedTensorType type);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_AXISCHECK_H
