// SPDX-License-Identifier: Apache-2.0
//
// AttentionOperand: a query, key or value as it was before exporters scaled,
// widened, transposed and repeated it for a product.

#ifndef MINIC_PASSES_GRAPH_RAISE_ATTENTIONOPERAND_H
#define MINIC_PASSES_GRAPH_RAISE_ATTENTIONOPERAND_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <cstdint>

namespace minic::graph {

struct AttentionOperand {
  /// [..., rows, columns], or [..., columns, rows] if `isSwapped`; the
  /// dimensions in front are batch and heads, in whatever shape.
  mlir::Value value;
  bool isSwapped = false;
  double factor = 1;
  /// Successive heads of the product that read one head of `value`.
  int64_t repeats = 1;

  /// What `get` looks through beside transposes of the last two dimensions and
  /// reshapes of the others.
  struct Through {
    bool factors = false;  ///< products with and quotients by a constant
    bool widening = false; ///< casts from 16 bits to f32
    bool repeats = true;   ///< heads that are repeated
  };
  /// Follows `value`, an operand of a product, backwards.
  static AttentionOperand get(mlir::Value value, bool isSwapped,
                              Through through);

  /// The product of the dimensions in front.
  int64_t leadingElements() const;
  /// As [batch, heads, rows, columns]; `heads` counts those of `value`.
  mlir::Value asHeads(mlir::OpBuilder &builder, mlir::Location loc,
                      int64_t batch, int64_t heads) const;
};

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_RAISE_ATTENTIONOPERAND_H
