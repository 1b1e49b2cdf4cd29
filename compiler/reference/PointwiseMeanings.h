// SPDX-License-Identifier: Apache-2.0
//
// The meanings that getScalarMeaning chooses between, each in a file of its own
// name.

#ifndef MINIC_COMPILER_REFERENCE_POINTWISEMEANINGS_H
#define MINIC_COMPILER_REFERENCE_POINTWISEMEANINGS_H

#include "compiler/reference/ScalarMeaning.h"
#include "dialects/graph/Graph.h"

namespace minic::reference {

/// The meaning of an op with a float result; null for other ops.
ScalarMeaning floatMeaning(mlir::Operation *op);

/// The meaning of an op with an integer result, exact modulo its width; null
/// for other ops.
ScalarMeaning integerMeaning(mlir::Operation *op);
/// Float64 holds integers up to 2^53 exactly; how far larger ones may be off.
double integerError(double value);
int64_t toInteger(double value);

ScalarMeaning castMeaning(graph::CastOp op);

// Choices: either side inside the margin.
ScalarMeaning compareMeaning(graph::ComparePredicate predicate);
/// Of a value with itself: only whether it is NaN may be uncertain.
ScalarMeaning selfCompareMeaning(graph::ComparePredicate predicate);
Meaning isNanMeaning(const Bounded *operands);
Meaning selectMeaning(const Bounded *operands);

inline mlir::Type dtypeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
}

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_POINTWISEMEANINGS_H
