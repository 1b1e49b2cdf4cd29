// SPDX-License-Identifier: Apache-2.0
//
// What is verified of moved values, and how they are made.

#include "dialects/graph/ConstantAttrs.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::graph {

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// A value of whole bytes and static shape.
static bool canMove(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getRank() > 0 &&
         tensor.getElementType().isIntOrFloat() &&
         tensor.getElementTypeBitWidth() >= 8;
}

static SmallVector<int64_t> permuted(ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> permutation) {
  return llvm::map_to_vector(permutation, [&](int64_t d) { return shape[d]; });
}

LogicalResult TransposedAttr::verify(EmitError emitError, RankedTensorType type,
                                     ElementsAttr source,
                                     ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> sorted = llvm::to_vector(permutation);
  llvm::sort(sorted);
  auto from = dyn_cast<RankedTensorType>(source.getType());
  bool isPermutation =
      from && int64_t(sorted.size()) == from.getRank() &&
      llvm::equal(sorted, llvm::seq<int64_t>(0, from.getRank()));
  if (!canMove(source.getType()) || !isPermutation ||
      type != from.clone(permuted(from.getShape(), permutation))) {
    return emitError() << "expects " << type << " to be " << source.getType()
                       << " transposed by its permutation";
  }
  return success();
}

ElementsAttr TransposedAttr::of(ElementsAttr value,
                                ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> composed = llvm::to_vector(permutation);
  if (auto inner = dyn_cast<TransposedAttr>(value)) {
    composed = permuted(inner.getPermutation(), permutation);
    value = inner.getSource();
  }
  auto from = cast<RankedTensorType>(value.getType());
  if (llvm::equal(composed, llvm::seq<int64_t>(0, from.getRank()))) {
    return value;
  }
  return get(value.getContext(),
             from.clone(permuted(from.getShape(), composed)), value, composed);
}

LogicalResult ConcatenatedAttr::verify(EmitError emitError,
                                       RankedTensorType type,
                                       ArrayRef<ElementsAttr> sources,
                                       int64_t axis) {
  SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
  bool fits = canMove(type) && axis >= 0 && axis < type.getRank();
  if (fits) {
    shape[axis] = 0;
  }
  for (ElementsAttr source : sources) {
    auto from = dyn_cast<RankedTensorType>(source.getType());
    fits &= from && from.getRank() == type.getRank();
    if (!fits) {
      break;
    }
    shape[axis] += from.getDimSize(axis);
    SmallVector<int64_t> expected = llvm::to_vector(type.getShape());
    expected[axis] = from.getDimSize(axis);
    fits = from == type.clone(expected);
  }
  if (!fits || ArrayRef<int64_t>(shape) != type.getShape()) {
    return emitError() << "expects " << type
                       << " to be its values one after the other";
  }
  return success();
}

LogicalResult ReshapedAttr::verify(EmitError emitError, RankedTensorType type,
                                   ElementsAttr source) {
  auto from = dyn_cast<RankedTensorType>(source.getType());
  if (!canMove(source.getType()) || !canMove(type) ||
      type != from.clone(type.getShape()) ||
      type.getNumElements() != from.getNumElements()) {
    return emitError() << "expects " << type << " to be " << source.getType()
                       << " under another shape";
  }
  return success();
}

} // namespace minic::graph
