// SPDX-License-Identifier: Apache-2.0
//
// Folds that need no arithmetic; constants are evaluated by
// passes/graph/FoldConstants.cpp, with the reference evaluator.

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace minic::graph {

OpFoldResult ConstantOp::fold(FoldAdaptor) {
  // A constant without bytes or with a layout is not a plain attribute.
  if (!getValueAttr() || getValueAttr().getType() != getType()) {
    return {};
  }
  return getValueAttr();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType()) {
    return getInput();
  }
  if (auto producer = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(producer.getInput());
    return getResult();
  }
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()))) {
    return getInput();
  }
  auto producer = getInput().getDefiningOp<TransposeOp>();
  if (!producer) {
    return {};
  }
  SmallVector<int64_t> composed;
  for (int64_t dim : permutation) {
    composed.push_back(producer.getPermutation()[dim]);
  }
  getInputMutable().assign(producer.getInput());
  setPermutation(composed);
  return getResult();
}

} // namespace minic::graph
