// SPDX-License-Identifier: Apache-2.0
//
// ElementAccess: what an op that says its own reads (ElementOpInterface) asks
// of the emitter that computes it.

#ifndef MINIC_DIALECTS_GRAPH_ELEMENTACCESS_H
#define MINIC_DIALECTS_GRAPH_ELEMENTACCESS_H

#include "mlir/IR/Builders.h"

namespace minic::graph {

/// Builds at the insertion point of the builder that the op got, which may
/// stand in a region of scf ops that the op made meanwhile.
class ElementAccess {
public:
  virtual ~ElementAccess() = default;

  /// The element of operand number `operand` at `indices`, one i64 within its
  /// extent per dimension, in compute type. It may be computed here and now.
  virtual mlir::Value read(unsigned operand, mlir::ValueRange indices) = 0;

  /// Says to whoever waits for the run that an index was out of range, where
  /// `isOutside` (i1) holds. The op clamps the index itself.
  virtual void report(mlir::Value isOutside) = 0;
};

/// `index`, an element of an index operand, clamped to [0, last] as i64, and
/// reported where it was outside.
mlir::Value emitClampedIndex(mlir::OpBuilder &b, mlir::Location loc,
                             ElementAccess &access, mlir::Value index,
                             int64_t last);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_ELEMENTACCESS_H
