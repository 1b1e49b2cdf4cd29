// SPDX-License-Identifier: Apache-2.0
//
// attention and rotary: shape inference, verification and loops.

#include "dialects/graph/AxisCheck.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/ShapeText.h"

#include <cmath>

using namespace mlir;

namespace minic::graph {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

/// Ranks, dtypes and extents of query, key and value.
static LogicalResult checkOperands(std::optional<Location> loc,
                                   RankedTensorType q, RankedTensorType k,
                                   RankedTensorType v) {
  if (q.getRank() != 4 || k.getRank() != 4 || v.getRank() != 4) {
    return emitOptionalError(
        loc,
        "'graph.attention' op expects query [B, H, T, D], key [B, G, S, D] and "
        "value [B, G, S, E], got ",
        shapeText(q.getShape()), ", ", shapeText(k.getShape()), " and ",
        shapeText(v.getShape()));
  }
  if (q.getElementType() != k.getElementType() ||
      q.getElementType() != v.getElementType()) {
    return emitOptionalError(
        loc, "'graph.attention' op expects operands of one dtype, got ",
        q.getElementType(), ", ", k.getElementType(), " and ",
        v.getElementType());
  }
  bool agrees =
      mayAgree(q.getDimSize(0), k.getDimSize(0)) &&
      mayAgree(q.getDimSize(3), k.getDimSize(3)) &&
      mayAgree(k.getShape().take_front(3), v.getShape().take_front(3));
  if (!agrees) {
    return emitOptionalError(
        loc,
        "'graph.attention' op expects B, D, G and S of query, key and value to "
        "agree, got ",
        shapeText(q.getShape()), ", ", shapeText(k.getShape()), " and ",
        shapeText(v.getShape()));
  }
  int64_t heads = q.getDimSize(1), groups = k.getDimSize(1);
  bool isKnown =
      !ShapedType::isDynamic(heads) && !ShapedType::isDynamic(groups);
  if (isKnown && (groups == 0 || heads % groups != 0)) {
    return emitOptionalError(
        loc, "'graph.attention' op expects heads of key that divide ", heads,
        " heads of query, got ", groups);
  }
  return success();
}

LogicalResult
AttentionOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  AttentionOpAdaptor op(operands, attributes, properties, regions);
  auto q = typeOf(op.getQuery()), k = typeOf(op.getKey());
  auto v = typeOf(op.getValue());
  if (failed(checkOperands(loc, q, k, v))) {
    return failure();
  }
  if (Value mask = op.getMask()) {
    auto shape = typeOf(mask).getShape();
    int64_t scores[] = {q.getDimSize(0), q.getDimSize(1), q.getDimSize(2),
                        k.getDimSize(2)};
    auto merged = broadcastShapes(shape, scores);
    if (shape.size() > 4 || failed(merged) || !mayAgree(*merged, scores)) {
      return emitOptionalError(
          loc, "'graph.attention' op expects a mask that broadcasts to ",
          shapeText(scores), ", got ", shapeText(shape));
    }
  }
  if (Value length = op.getKeyLength()) {
    auto shape = typeOf(length).getShape();
    if (!shape.empty() && !mayAgree(shape, q.getShape().take_front(1))) {
      return emitOptionalError(
          loc, "'graph.attention' op expects key_length [] or ",
          shapeText(q.getShape().take_front(1)), ", got ", shapeText(shape));
    }
  }
  if (op.getWindow() && *op.getWindow() < 1) {
    return emitOptionalError(
        loc, "'graph.attention' op expects a window of 1 or more, got ",
        int64_t(*op.getWindow()));
  }
  if (op.getSoftCap() && !(op.getSoftCap()->convertToDouble() > 0)) {
    return emitOptionalError(
        loc, "'graph.attention' op expects a soft_cap above 0, got ",
        op.getSoftCap()->convertToDouble());
  }
  SmallVector<int64_t> shape(q.getShape());
  shape[3] = v.getDimSize(3);
  types.push_back(q.clone(shape));
  if (op.getWithLogSumExp()) {
    types.push_back(RankedTensorType::get(ArrayRef(shape).take_front(3),
                                          Float32Type::get(context)));
  }
  return success();
}

double AttentionOp::getScoreScale() {
  return getScale() ? getScale()->convertToDouble()
                    : 1 / std::sqrt(double(getQuery().getType().getDimSize(3)));
}

int64_t AttentionOp::getHeadsPerKey() {
  return getQuery().getType().getDimSize(1) / getKey().getType().getDimSize(1);
}

OperandRole AttentionOp::getOperandRole(unsigned operand) {
  return getOperand(operand) == getKeyLength() ? OperandRole::Index
                                               : OperandRole::Data;
}

/// [B, H, T, E], then S and D.
IterationSpace AttentionOp::getIterationSpace() {
  auto q = getQuery().getType();
  int64_t keys = getKey().getType().getDimSize(2);
  IterationSpace space =
      IterationSpace::overElements(typeOf(getResult()).getShape());
  space.addReduction(IteratorKind::Reduction, keys);
  space.addReduction(IteratorKind::Reduction, q.getDimSize(3));
  auto dim = [&](unsigned i) { return getAffineDimExpr(i, getContext()); };
  auto map = [&](ArrayRef<AffineExpr> index) {
    return AffineMap::get(space.rank(), 0, index, getContext());
  };
  AffineExpr b = dim(0), h = dim(1), t = dim(2), e = dim(3), s = dim(4);
  AffineExpr d = dim(5), g = h.floorDiv(getHeadsPerKey());
  space.operandMaps = {map({b, h, t, d}), map({b, g, s, d}), map({b, g, s, e})};
  if (Value mask = getMask()) {
    auto shape = typeOf(mask).getShape();
    AffineMap read = getBroadcastMap(shape, 4, space.rank(), getContext());
    space.operandMaps.push_back(read.replace({{e, s}}, space.rank(), 0));
  }
  if (Value length = getKeyLength()) {
    space.operandMaps.push_back(typeOf(length).getRank() == 0 ? map({})
                                                              : map({b}));
  }
  space.resultMaps.push_back(map({b, h, t, e}));
  if (getLogSumExp()) {
    space.resultMaps.push_back(map({b, h, t}));
  }
  return space;
}

/// Both products, without what lies between them.
int64_t AttentionOp::getFlopsPerResult() {
  int64_t d = getQuery().getType().getDimSize(3);
  int64_t e = getValue().getType().getDimSize(3);
  return e == 0 ? 0 : 2 * getKey().getType().getDimSize(2) * (d + e) / e;
}
ScalarCost AttentionOp::getScalarCost() { return ScalarCost::Transcendental; }

//===----------------------------------------------------------------------===//
// rotary
//===----------------------------------------------------------------------===//

LogicalResult
RotaryOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  RotaryOpAdaptor op(operands, attributes, properties, regions);
  auto input = typeOf(op.getInput());
  auto cos = typeOf(op.getCos()), sin = typeOf(op.getSin());
  if (input.getElementType() != cos.getElementType() ||
      input.getElementType() != sin.getElementType()) {
    return emitOptionalError(
        loc, "'graph.rotary' op expects operands of one dtype, got ",
        input.getElementType(), ", ", cos.getElementType(), " and ",
        sin.getElementType());
  }
  if (cos.getRank() < 1 || cos.getRank() > input.getRank() ||
      !mayAgree(cos.getShape(), sin.getShape())) {
    return emitOptionalError(
        loc,
        "'graph.rotary' op expects cos and sin of one shape [..., P], of at "
        "most the rank of ",
        input, ", got ", shapeText(cos.getShape()), " and ",
        shapeText(sin.getShape()));
  }
  auto rows = input.getShape().drop_back();
  auto merged = broadcastShapes(cos.getShape().drop_back(), rows);
  if (failed(merged) || !mayAgree(*merged, rows)) {
    return emitOptionalError(
        loc, "'graph.rotary' op expects cos that broadcasts to ",
        shapeText(rows), " but for its last dimension, got ",
        shapeText(cos.getShape()));
  }
  int64_t pairs = cos.getShape().back(), size = input.getShape().back();
  if (!ShapedType::isDynamic(pairs) && !ShapedType::isDynamic(size) &&
      2 * pairs > size) {
    return emitOptionalError(loc, "'graph.rotary' op expects at most ",
                             size / 2, " pairs in ", size, " elements, got ",
                             pairs);
  }
  types.push_back(input);
  return success();
}

/// Two elements of the input make one of the result: no map says that.
IterationSpace RotaryOp::getIterationSpace() {
  auto shape = typeOf(getResult()).getShape();
  IterationSpace space = IterationSpace::overElements(shape);
  space.operandMaps.assign(3, AffineMap());
  space.resultMaps = {
      AffineMap::getMultiDimIdentityMap(shape.size(), getContext())};
  return space;
}

int64_t RotaryOp::getFlopsPerPoint() { return 3; }

} // namespace minic::graph
