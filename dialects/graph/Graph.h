// SPDX-License-Identifier: Apache-2.0
//
// The graph dialect: what a model computes. Include this one header.

#ifndef MINIC_DIALECTS_GRAPH_GRAPH_H
#define MINIC_DIALECTS_GRAPH_GRAPH_H

#include "dialects/graph/ElementAccess.h"
#include "dialects/graph/ImageLines.h"
#include "dialects/graph/IterationSpace.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/graph/GraphDialect.h.inc"
#include "dialects/graph/GraphEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/graph/Conv2dGeometry.h"
#include "dialects/graph/GraphAttrs.h.inc"
#include "dialects/graph/GraphInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/GraphOps.h.inc"

namespace minic::graph {

/// The NumPy broadcast of `lhs` and `rhs`; failure where dimensions disagree.
/// A dynamic dimension against a static one other than 1 yields the static.
mlir::FailureOr<llvm::SmallVector<int64_t>>
broadcastShapes(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs);

/// A sum of products of two operands: over all of K (linear, matmul), or over
/// windows of a larger operand as well (conv2d).
bool isContraction(mlir::Operation *op);
bool isConvolution(mlir::Operation *op);

/// What a fusion is built around: an op with a reduction or window iterator.
bool isAnchor(mlir::Operation *op);

/// An op that computes nothing: each result element is an operand's element.
bool movesElements(mlir::Operation *op);

/// True if `permutation` keeps the dimensions of `shape` that are larger than 1
/// in their order: transposing by it moves no element, as a reshape does.
bool keepsElementOrder(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> permutation);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_GRAPH_H
