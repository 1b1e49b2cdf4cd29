// SPDX-License-Identifier: Apache-2.0
//
// Counting points, and the maps that several ops share.

#include "dialects/graph/IterationSpace.h"

#include "mlir/IR/Operation.h"

using namespace mlir;

namespace minic::graph {

size_t IterationSpace::parallelCount() const {
  return llvm::find_if(
             kinds, [](auto kind) { return kind != IteratorKind::Parallel; }) -
         kinds.begin();
}

int64_t IterationSpace::pointCount() const { return llvm::product_of(extents); }

int64_t IterationSpace::parallelPointCount() const {
  return llvm::product_of(ArrayRef(extents).take_front(parallelCount()));
}

bool IterationSpace::isParallel(AffineMap map) const {
  return llvm::none_of(llvm::seq<unsigned>(parallelCount(), rank()),
                       [&](unsigned dim) { return map.isFunctionOfDim(dim); });
}

IterationSpace IterationSpace::overElements(ArrayRef<int64_t> shape) {
  IterationSpace space;
  space.kinds.assign(shape.size(), IteratorKind::Parallel);
  space.extents.assign(shape.begin(), shape.end());
  return space;
}

void IterationSpace::addReduction(IteratorKind kind, int64_t extent) {
  kinds.push_back(kind);
  extents.push_back(extent);
}

AffineMap getBroadcastMap(ArrayRef<int64_t> shape, size_t rank, size_t dims,
                          MLIRContext *context) {
  SmallVector<AffineExpr> indices;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    indices.push_back(extent == 1
                          ? getAffineConstantExpr(0, context)
                          : getAffineDimExpr(rank - shape.size() + i, context));
  }
  return AffineMap::get(dims, 0, indices, context);
}

/// Appends the indices of a dense tensor with extents `from` at the iterators
/// `first`, `first` + 1, ..., whose extents are `to`.
static void appendLinearized(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                             size_t first, MLIRContext *context,
                             SmallVectorImpl<AffineExpr> &indices) {
  AffineExpr linear = getAffineConstantExpr(0, context);
  for (auto [i, extent] : llvm::enumerate(to)) {
    linear = linear * extent;
    if (extent != 1) {
      linear = linear + getAffineDimExpr(first + i, context);
    }
  }
  int64_t below = llvm::product_of(from);
  bool isOutermost = true;
  for (int64_t extent : from) {
    below /= extent;
    AffineExpr index = linear.floorDiv(below);
    if (extent == 1) {
      index = getAffineConstantExpr(0, context);
    } else if (!isOutermost) {
      index = index % extent;
    }
    isOutermost &= extent == 1;
    indices.push_back(index);
  }
}

AffineMap getReshapeMap(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                        MLIRContext *context) {
  if (ShapedType::isDynamicShape(from) || ShapedType::isDynamicShape(to)) {
    return {};
  }
  if (llvm::is_contained(from, 0)) { // is read nowhere
    return AffineMap::get(
        to.size(), 0,
        SmallVector<AffineExpr>(from.size(), getAffineConstantExpr(0, context)),
        context);
  }
  SmallVector<AffineExpr> indices;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    size_t fromBegin = i, toBegin = j;
    int64_t source = i < from.size() ? from[i++] : 1;
    int64_t result = j < to.size() ? to[j++] : 1;
    while (source != result) {
      source < result ? source *= from[i++] : result *= to[j++];
    }
    appendLinearized(from.slice(fromBegin, i - fromBegin),
                     to.slice(toBegin, j - toBegin), toBegin, context, indices);
  }
  return AffineMap::get(to.size(), 0, indices, context);
}

IterationSpace getPointwiseSpace(Operation *op) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  IterationSpace space = IterationSpace::overElements(shape);
  for (Value operand : op->getOperands()) {
    space.operandMaps.push_back(getBroadcastMap(
        shapeOf(operand), shape.size(), shape.size(), op->getContext()));
  }
  space.resultMaps.push_back(
      AffineMap::getMultiDimIdentityMap(shape.size(), op->getContext()));
  return space;
}

} // namespace minic::graph
