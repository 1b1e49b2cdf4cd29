// SPDX-License-Identifier: Apache-2.0
//
// Shape inference, verification and custom syntax of the graph ops.

#include "dialects/graph/BinaryTypes.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/ShapeText.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace minic::graph {

//===----------------------------------------------------------------------===//
// Kinds of ops
//===----------------------------------------------------------------------===//

/// A sum over products of two operands.
static bool isSumOfProducts(Operation *op) {
  auto reduction = dyn_cast<ReductionOpInterface>(op);
  if (!reduction || reduction.getMonoid() != Monoid::Sum) {
    return false;
  }
  auto isFactor = [&](unsigned operand) {
    OperandRole role = cast<FusibleOpInterface>(op).getOperandRole(operand);
    return role == OperandRole::Data || role == OperandRole::Weight;
  };
  return llvm::count_if(llvm::seq(op->getNumOperands()), isFactor) == 2;
}

static bool hasWindow(Operation *op) {
  return llvm::is_contained(
      cast<FusibleOpInterface>(op).getIterationSpace().kinds,
      IteratorKind::Window);
}

bool isContraction(Operation *op) {
  return isSumOfProducts(op) && !hasWindow(op);
}

bool isConvolution(Operation *op) {
  return isSumOfProducts(op) && hasWindow(op);
}

bool isAnchor(Operation *op) {
  auto fusible = dyn_cast<FusibleOpInterface>(op);
  return fusible && !isa<PointwiseOpInterface>(op) &&
         fusible.getIterationSpace().hasReduction();
}

bool movesElements(Operation *op) {
  auto fusible = dyn_cast<FusibleOpInterface>(op);
  return fusible && !isa<PointwiseOpInterface>(op) &&
         !fusible.getIterationSpace().hasReduction();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<int64_t>> broadcastShapes(ArrayRef<int64_t> lhs,
                                                ArrayRef<int64_t> rhs) {
  if (lhs.size() < rhs.size()) {
    std::swap(lhs, rhs);
  }
  SmallVector<int64_t> result(lhs);
  size_t skipped = lhs.size() - rhs.size();
  for (auto [i, dim] : llvm::enumerate(rhs)) {
    int64_t &out = result[skipped + i];
    if (out == dim || dim == 1) {
      continue;
    }
    if (out == 1 || ShapedType::isDynamic(out)) {
      out = dim;
    } else if (!ShapedType::isDynamic(dim)) {
      return failure();
    }
  }
  return result;
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os, [&](int64_t dim) {
    if (ShapedType::isDynamic(dim)) {
      os << '?';
    } else {
      os << dim;
    }
  });
  os << ']';
  return text;
}

/// True where the dimensions agree or one of them is not known yet.
static bool compatible(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

/// The broadcast shape of all `values`, or a diagnostic at `loc`.
static FailureOr<SmallVector<int64_t>>
inferBroadcast(std::optional<Location> loc, StringRef op, ValueRange values) {
  SmallVector<int64_t> shape;
  for (Value value : values) {
    auto operand = cast<RankedTensorType>(value.getType()).getShape();
    auto merged = broadcastShapes(shape, operand);
    if (failed(merged)) {
      return emitOptionalError(loc, "'graph.", op,
                               "' op expects shapes that broadcast, got ",
                               shapeText(shape), " and ", shapeText(operand));
    }
    shape = *merged;
  }
  return shape;
}

static LogicalResult inferBinary(std::optional<Location> loc, StringRef op,
                                 ValueRange operands,
                                 SmallVectorImpl<Type> &types) {
  auto lhs = cast<RankedTensorType>(operands[0].getType());
  auto rhs = cast<RankedTensorType>(operands[1].getType());
  if (lhs.getElementType() != rhs.getElementType()) {
    return emitOptionalError(
        loc, "'graph.", op, "' op expects operands of one dtype, got ",
        lhs.getElementType(), " and ", rhs.getElementType());
  }
  auto shape = inferBroadcast(loc, op, operands);
  if (failed(shape)) {
    return failure();
  }
  types.push_back(RankedTensorType::get(*shape, lhs.getElementType()));
  return success();
}

#define MINIC_INFER_BINARY(Op)                                                 \
  LogicalResult Op::inferReturnTypes(                                          \
      MLIRContext *, std::optional<Location> loc, ValueRange operands,         \
      DictionaryAttr, OpaqueProperties, RegionRange,                           \
      SmallVectorImpl<Type> &types) {                                          \
    return inferBinary(loc, getOperationName().drop_front(6), operands,        \
                       types);                                                 \
  }
MINIC_INFER_BINARY(AddOp)
MINIC_INFER_BINARY(SubOp)
MINIC_INFER_BINARY(MulOp)
MINIC_INFER_BINARY(DivOp)
MINIC_INFER_BINARY(MaxOp)
MINIC_INFER_BINARY(MinOp)
MINIC_INFER_BINARY(PowOp)
MINIC_INFER_BINARY(ModOp)
MINIC_INFER_BINARY(AndOp)
MINIC_INFER_BINARY(OrOp)
MINIC_INFER_BINARY(XorOp)
#undef MINIC_INFER_BINARY

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> loc,
                                          ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange,
                                          SmallVectorImpl<Type> &types) {
  if (failed(inferBinary(loc, "compare", operands, types))) {
    return failure();
  }
  types.back() =
      cast<RankedTensorType>(types.back()).clone(IntegerType::get(context, 1));
  return success();
}

LogicalResult IsNanOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location>,
                                        ValueRange operands, DictionaryAttr,
                                        OpaqueProperties, RegionRange,
                                        SmallVectorImpl<Type> &types) {
  types.push_back(cast<RankedTensorType>(operands[0].getType())
                      .clone(IntegerType::get(context, 1)));
  return success();
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &types) {
  if (failed(inferBinary(loc, "select", operands.drop_front(), types))) {
    return failure();
  }
  auto shape = inferBroadcast(loc, "select", operands);
  if (failed(shape)) {
    return failure();
  }
  types.back() = cast<RankedTensorType>(types.back()).clone(*shape);
  return success();
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// What sums of products of `factor` are stored as unless an op says otherwise.
static Type sumType(Type factor) {
  return factor.isInteger(8) ? IntegerType::get(factor.getContext(), 32)
                             : factor;
}

LogicalResult LinearOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(operands[0].getType());
  auto weight = cast<RankedTensorType>(operands[1].getType());
  if (input.getRank() < 1 || weight.getRank() != 2) {
    return emitOptionalError(
        loc, "'graph.linear' op expects input [..., K] and weight [N, K], got ",
        shapeText(input.getShape()), " and ", shapeText(weight.getShape()));
  }
  if (!compatible(input.getShape().back(), weight.getDimSize(1))) {
    return emitOptionalError(
        loc, "'graph.linear' op expects K of input and weight to agree, got ",
        input.getShape().back(), " and ", weight.getDimSize(1));
  }
  Type dtype = input.getElementType(), sum = sumType(dtype);
  if (weight.getElementType() != dtype) {
    return emitOptionalError(
        loc, "'graph.linear' op expects operands of one dtype, got ", dtype,
        " and ", weight.getElementType());
  }
  if (operands.size() == 3) {
    auto bias = cast<RankedTensorType>(operands[2].getType());
    if (bias.getElementType() != sum) {
      return emitOptionalError(loc, "'graph.linear' op expects a bias of ", sum,
                               ", got ", bias.getElementType());
    }
    if (bias.getRank() != 1 ||
        !compatible(bias.getDimSize(0), weight.getDimSize(0))) {
      return emitOptionalError(loc, "'graph.linear' op expects bias [",
                               weight.getDimSize(0), "], got ",
                               shapeText(bias.getShape()));
    }
  }
  SmallVector<int64_t> shape(input.getShape());
  shape.back() = weight.getDimSize(0);
  types.push_back(RankedTensorType::get(shape, sum));
  return success();
}

LogicalResult
MatmulOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  MatmulOpAdaptor op(operands, attributes, properties, regions);
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  if (lhs.getRank() < 2 || rhs.getRank() < 2) {
    return emitOptionalError(
        loc, "'graph.matmul' op expects operands of rank 2 or more, got ",
        shapeText(lhs.getShape()), " and ", shapeText(rhs.getShape()));
  }
  if (lhs.getElementType() != rhs.getElementType()) {
    return emitOptionalError(
        loc, "'graph.matmul' op expects operands of one dtype, got ",
        lhs.getElementType(), " and ", rhs.getElementType());
  }
  auto [m, lhsK] = std::pair(lhs.getShape().end()[-2], lhs.getShape().back());
  auto [rhsK, n] = std::pair(rhs.getShape().end()[-2], rhs.getShape().back());
  if (op.getTransposeLhs()) {
    std::swap(m, lhsK);
  }
  if (op.getTransposeRhs()) {
    std::swap(rhsK, n);
  }
  if (!compatible(lhsK, rhsK)) {
    return emitOptionalError(
        loc, "'graph.matmul' op expects K of lhs and rhs to agree, got ", lhsK,
        " and ", rhsK);
  }
  auto batch =
      broadcastShapes(lhs.getShape().drop_back(2), rhs.getShape().drop_back(2));
  if (failed(batch)) {
    return emitOptionalError(
        loc, "'graph.matmul' op expects batch dimensions that broadcast, got ",
        shapeText(lhs.getShape().drop_back(2)), " and ",
        shapeText(rhs.getShape().drop_back(2)));
  }
  batch->append({m, n});
  types.push_back(RankedTensorType::get(*batch, sumType(lhs.getElementType())));
  return success();
}

/// Sums of floats may stay as they are: f32.
bool MatmulOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange declared) {
  if (inferred.size() != 1 || declared.size() != 1) {
    return false;
  }
  auto result = dyn_cast<RankedTensorType>(declared[0]);
  return inferred == declared ||
         (result && getElementTypeOrSelf(result).isF32() &&
          !getElementTypeOrSelf(inferred[0]).isInteger() &&
          result.getShape() == cast<RankedTensorType>(inferred[0]).getShape());
}

//===----------------------------------------------------------------------===//
// Constants and layout ops
//===----------------------------------------------------------------------===//

void ConstantOp::build(OpBuilder &, OperationState &state, ElementsAttr value) {
  state.getOrAddProperties<Properties>().value = value;
  state.addTypes(value.getType());
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  StringAttr name;
  bool hasName = succeeded(parser.parseOptionalSymbolName(name));
  if (hasName) {
    properties.source = FlatSymbolRefAttr::get(name);
  }
  if (parser.parseOptionalAttrDict(state.attributes)) {
    return failure();
  }
  Type type;
  if (hasName && succeeded(parser.parseOptionalColon())) {
    if (parser.parseType(type)) {
      return failure();
    }
    state.addTypes(type);
    return success();
  }
  // An ElementsAttr spells its own type; a result type that differs (an
  // encoding) follows after `as`.
  if (hasName && parser.parseEqual()) {
    return failure();
  }
  Attribute value;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseAttribute(value)) {
    return failure();
  }
  properties.value = dyn_cast<ElementsAttr>(value);
  if (!properties.value) {
    return parser.emitError(loc, "expects a name or a tensor value");
  }
  type = properties.value.getType();
  if (succeeded(parser.parseOptionalKeyword("as")) && parser.parseType(type)) {
    return failure();
  }
  state.addTypes(type);
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  if (getSourceAttr()) {
    printer << ' ';
    printer.printSymbolName(getSourceAttr().getValue());
  }
  printer.printOptionalAttrDict(
      llvm::to_vector((*this)->getDiscardableAttrs()));
  if (!getValueAttr()) {
    printer << " : " << getType();
    return;
  }
  if (getSourceAttr()) {
    printer << " =";
  }
  printer << ' ' << getValueAttr();
  if (getValueAttr().getType() != getType()) {
    printer << " as " << getType();
  }
}

LogicalResult ConstantOp::verify() {
  if (!getSourceAttr() && !getValueAttr()) {
    return emitOpError("expects a name, a value or both");
  }
  auto type = cast<RankedTensorType>(getType());
  if (!type.hasStaticShape()) {
    return emitOpError("expects a static shape, got ") << type;
  }
  if (getValueAttr()) {
    auto value = cast<RankedTensorType>(getValueAttr().getType());
    if (value.getShape() != type.getShape() ||
        value.getElementType() != type.getElementType()) {
      return emitOpError("expects a value of type ")
             << type << ", got " << value;
    }
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto result = cast<RankedTensorType>(getType());
  if (input.getElementType() != result.getElementType()) {
    return emitOpError("expects the dtype to stay ")
           << input.getElementType() << ", got " << result.getElementType();
  }
  if (input.hasStaticShape() && result.hasStaticShape() &&
      input.getNumElements() != result.getNumElements()) {
    return emitOpError("expects the number of elements to stay ")
           << input.getNumElements() << ", got " << result.getNumElements();
  }
  return success();
}

LogicalResult
TransposeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  TransposeOpAdaptor op(operands, attributes, properties, regions);
  auto input = cast<RankedTensorType>(op.getInput().getType());
  ArrayRef<int64_t> permutation = op.getPermutation();
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(0, input.getRank()))) {
    return emitOptionalError(
        loc, "'graph.transpose' op expects a permutation of 0 to rank - 1 for ",
        input, ", got ", shapeText(permutation));
  }
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation) {
    shape.push_back(input.getDimSize(dim));
  }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

IterationSpace ReshapeOp::getIterationSpace() {
  ArrayRef<int64_t> from =
      cast<RankedTensorType>(getInput().getType()).getShape();
  ArrayRef<int64_t> to = cast<RankedTensorType>(getType()).getShape();
  IterationSpace space = IterationSpace::overElements(to);
  space.operandMaps = {getReshapeMap(from, to, getContext())};
  space.resultMaps = {
      AffineMap::getMultiDimIdentityMap(to.size(), getContext())};
  return space;
}

IterationSpace TransposeOp::getIterationSpace() {
  IterationSpace space = IterationSpace::overElements(
      cast<RankedTensorType>(getType()).getShape());
  SmallVector<unsigned> dims(getPermutation().size());
  for (auto [i, dim] : llvm::enumerate(getPermutation())) {
    dims[dim] = i;
  }
  space.operandMaps = {
      AffineMap::getMultiDimMapWithTargets(dims.size(), dims, getContext())};
  space.resultMaps = {
      AffineMap::getMultiDimIdentityMap(dims.size(), getContext())};
  return space;
}

LogicalResult CastOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto result = cast<RankedTensorType>(getType());
  if (failed(verifyCompatibleShape(input, result))) {
    return emitOpError("expects the shape to stay ")
           << shapeText(input.getShape()) << ", got "
           << shapeText(result.getShape());
  }
  return success();
}

LogicalResult ClampOp::verify() {
  double lower = getLower().convertToDouble();
  double upper = getUpper().convertToDouble();
  if (!(lower <= upper)) {
    return emitOpError("expects lower <= upper, got ")
           << lower << " and " << upper;
  }
  return success();
}

} // namespace minic::graph

#include "dialects/graph/GraphInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/graph/GraphOps.cpp.inc"
