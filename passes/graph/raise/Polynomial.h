// SPDX-License-Identifier: Apache-2.0
//
// Polynomial: what a value is in terms of a few others, whatever the order in
// which a model adds, multiplies and scales. x * 0.5 * (1 + t) and
// (x + x * t) / 2 are one polynomial in x and t.

#ifndef MINIC_PASSES_GRAPH_RAISE_POLYNOMIAL_H
#define MINIC_PASSES_GRAPH_RAISE_POLYNOMIAL_H

#include "dialects/graph/Graph.h"

#include <map>
#include <optional>
#include <vector>

namespace minic::graph {

/// The coefficient of each product of powers. {1, 2} is x * t^2 for the
/// variables x and t.
using Polynomial = std::map<std::vector<int>, double>;

/// `value` in terms of `variables`, all of `value`'s type. Nothing where it
/// depends on more than those and on scalar constants, broadcasts them, or has
/// terms that cancel: rounding and infinities would not survive that.
std::optional<Polynomial> polynomialIn(mlir::Value value,
                                       llvm::ArrayRef<mlir::Value> variables);

/// Whether `value` is this polynomial, its coefficients as isNear says.
bool isPolynomial(mlir::Value value, llvm::ArrayRef<mlir::Value> variables,
                  const Polynomial &expected);

/// The values that `root` may be a polynomial of, `root` first: itself, what it
/// adds and multiplies, what these do, a few levels down. No constants.
llvm::SmallVector<mlir::Value, 16> possibleVariables(mlir::Value root);

/// Calls `matches(x, f)` for a result f of a FunctionOp and another value x,
/// both possible variables of `root`, until it is true.
template <typename FunctionOp, typename Matches>
bool findVariables(mlir::Value root, Matches matches) {
  auto values = possibleVariables(root);
  return llvm::any_of(values, [&](mlir::Value value) {
    auto function = value.getDefiningOp<FunctionOp>();
    return function && llvm::any_of(values, [&](mlir::Value x) {
             return x != value && matches(x, function);
           });
  });
}

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_RAISE_POLYNOMIAL_H
