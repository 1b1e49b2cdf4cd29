// SPDX-License-Identifier: Apache-2.0
//
// Trace: a body as a flat list of graph ops.

#ifndef MINIC_COMPILER_REFERENCE_TRACE_H
#define MINIC_COMPILER_REFERENCE_TRACE_H

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace minic::reference {

/// The ops of a body in order, those of nested kernel.fusions inlined, with
/// static ranked tensors throughout.
struct Trace {
  std::vector<mlir::Operation *> ops;
  /// The values that the terminator returns.
  std::vector<mlir::Value> results;
  /// The value that another one merely names: a fusion's argument or result, a
  /// relayout.
  llvm::DenseMap<mlir::Value, mlir::Value> aliases;

  mlir::Value resolve(mlir::Value value) const;

  /// Fails with a diagnostic on a dynamic shape or an op that has no reference.
  static mlir::FailureOr<Trace> get(mlir::Block &body);
};

/// The type of a traced value.
inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_TRACE_H
