// SPDX-License-Identifier: Apache-2.0
//
// graph.gather_elements: shape inference, loops, its element.

#include "dialects/graph/AxisCheck.h"
#include "dialects/graph/ElementAccess.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/ShapeText.h"

using namespace mlir;

namespace minic::graph {

LogicalResult GatherElementsOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  GatherElementsOpAdaptor op(operands, attributes, properties, regions);
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto indices = cast<RankedTensorType>(op.getIndices().getType());
  int64_t axis = op.getAxis();
  if (failed(checkNonEmptyAxis(loc, "gather_elements", axis, input))) {
    return failure();
  }
  bool isWithin = indices.getRank() == input.getRank();
  for (int64_t dim = 0; isWithin && dim < input.getRank(); ++dim) {
    isWithin = dim == axis || input.isDynamicDim(dim) ||
               indices.isDynamicDim(dim) ||
               indices.getDimSize(dim) <= input.getDimSize(dim);
  }
  if (!isWithin) {
    return emitOptionalError(
        loc,
        "'graph.gather_elements' op expects indices of the input's rank, no "
        "longer than the input but along axis ",
        axis, ", got ", shapeText(indices.getShape()), " for ",
        shapeText(input.getShape()));
  }
  types.push_back(input.clone(indices.getShape()));
  return success();
}

OperandRole GatherElementsOp::getOperandRole(unsigned operand) {
  return operand == 1 ? OperandRole::Index : OperandRole::Data;
}

IterationSpace GatherElementsOp::getIterationSpace() {
  auto shape = cast<RankedTensorType>(getResult().getType()).getShape();
  IterationSpace space = IterationSpace::overElements(shape);
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(shape.size(), getContext());
  space.operandMaps = {AffineMap(), identity};
  space.resultMaps = {identity};
  return space;
}

SmallVector<Value> GatherElementsOp::emitElements(OpBuilder &builder,
                                                  ElementAccess &access,
                                                  ValueRange indices) {
  int64_t axis = getAxis();
  int64_t last = getInput().getType().getDimSize(axis) - 1;
  SmallVector<Value> from(indices);
  from[axis] = emitClampedIndex(builder, getLoc(), access,
                                access.read(1, indices), last);
  return {access.read(0, from)};
}

} // namespace minic::graph
