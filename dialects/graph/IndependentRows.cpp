// SPDX-License-Identifier: Apache-2.0
//
// Rows of elements as affine expressions, from arguments to results.

#include "dialects/graph/IndependentRows.h"

#include "dialects/graph/Dims.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace minic::graph {

namespace {

class RowProof {
public:
  RowProof(func::FuncOp function, StringRef dim,
           llvm::function_ref<bool(Operation *)> keepsElements)
      : function(function), dim(dim), keepsElements(keepsElements),
        context(function.getContext()) {}

  FailureOr<SmallVector<int64_t>> run();
  const RowExpressions &expressions() const { return rows; }

private:
  LogicalResult readArguments();
  LogicalResult follow(Operation *op);
  LogicalResult followAll(Block &body);
  LogicalResult followBody(Operation *op);
  LogicalResult followConcat(ConcatOp op);
  LogicalResult followGather(GatherOp op);
  /// Gives a result the row `row`, an expression of the iterators of `space`.
  LogicalResult setRow(Operation *op, unsigned result, AffineExpr row,
                       const IterationSpace &space);
  InFlightDiagnostic mixes(Operation *op, const Twine &why) {
    return op->emitError("--pad: rows of '")
           << dim << "' must not depend on each other: " << why << hint();
  }
  /// What to do about it.
  std::string hint() {
    return ("; where the model masks rows, say by what: --pad=" + dim +
            ",INPUT=VALUE")
        .str();
  }
  /// `expression` of indices below `extents`, as simple as these allow.
  AffineExpr simplify(AffineExpr expression, ArrayRef<int64_t> extents);

  func::FuncOp function;
  StringRef dim;
  llvm::function_ref<bool(Operation *)> keepsElements;
  MLIRContext *context;
  /// The row of an element by its index; values without one depend on none.
  RowExpressions rows;
};

} // namespace

AffineExpr RowProof::simplify(AffineExpr expression,
                              ArrayRef<int64_t> extents) {
  // What lies inside of a mod or floordiv first.
  llvm::DenseMap<AffineExpr, AffineExpr> simpler;
  expression.walk([&](AffineExpr part) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    bool isMod = part.getKind() == AffineExprKind::Mod;
    if (!binary || (!isMod && part.getKind() != AffineExprKind::FloorDiv)) {
      return;
    }
    auto index = dyn_cast<AffineDimExpr>(binary.getLHS());
    auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (index && by && !ShapedType::isDynamic(extents[index.getPosition()]) &&
        extents[index.getPosition()] <= by.getValue()) {
      simpler[part] =
          isMod ? binary.getLHS() : getAffineConstantExpr(0, context);
    }
  });
  return simplifyAffineExpr(expression.replace(simpler), extents.size(), 0);
}

LogicalResult RowProof::readArguments() {
  for (BlockArgument argument : function.getArguments()) {
    auto dims = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                     dimsAttrName);
    for (auto [axis, name] :
         llvm::enumerate(dims ? dims.getValue() : ArrayRef<Attribute>())) {
      auto text = dyn_cast<StringAttr>(name);
      if (!text || text.getValue() != dim) {
        continue;
      }
      if (rows.contains(argument)) {
        return emitError(argument.getLoc())
               << "--pad: an input has two dimensions called '" << dim << "'"
               << hint();
      }
      rows[argument] = getAffineDimExpr(axis, context);
    }
  }
  return success();
}

LogicalResult RowProof::setRow(Operation *op, unsigned result, AffineExpr row,
                               const IterationSpace &space) {
  AffineMap map = space.resultMaps[result];
  if (!map || !map.isProjectedPermutation()) {
    return mixes(op, "what it writes follows no map");
  }
  auto type = cast<RankedTensorType>(op->getResult(result).getType());
  SmallVector<AffineExpr> indices(space.rank(),
                                  getAffineConstantExpr(0, context));
  llvm::SmallBitVector written(space.rank());
  for (auto [axis, expression] : llvm::enumerate(map.getResults())) {
    unsigned iterator = cast<AffineDimExpr>(expression).getPosition();
    indices[iterator] = getAffineDimExpr(axis, context);
    written.set(iterator);
  }
  for (unsigned i = 0; i < space.rank(); ++i) {
    bool isOwn = written.test(i) && space.kinds[i] == IteratorKind::Parallel;
    if (row.isFunctionOfDim(i) && !isOwn && space.extents[i] != 1) {
      return mixes(op, "it reduces over them");
    }
  }
  rows[op->getResult(result)] =
      simplify(row.replaceDims(indices), type.getShape());
  return success();
}

LogicalResult RowProof::followConcat(ConcatOp op) {
  AffineExpr row;
  for (Value operand : op->getOperands()) {
    AffineExpr own = rows.lookup(operand);
    if (own && ((row && own != row) || own.isFunctionOfDim(op.getAxis()))) {
      return mixes(op, "it puts them side by side");
    }
    row = own ? own : row;
  }
  if (row) {
    rows[op->getResult(0)] = row;
  }
  return success();
}

/// Of rows in the input: data say where along one dimension it reads, and the
/// others go on.
LogicalResult RowProof::followGather(GatherOp op) {
  AffineExpr own = rows.lookup(op.getInput());
  auto axis = unsigned(op.getAxis());
  if (rows.contains(op.getIndices()) || own.isFunctionOfDim(axis)) {
    return mixes(op, "what it reads of them depends on data");
  }
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto indices = cast<RankedTensorType>(op.getIndices().getType());
  SmallVector<AffineExpr> places;
  for (unsigned i = 0; i < input.getRank(); ++i) {
    unsigned place = i < axis ? i : i + unsigned(indices.getRank()) - 1;
    places.push_back(i == axis ? getAffineConstantExpr(0, context)
                               : getAffineDimExpr(place, context));
  }
  auto type = cast<RankedTensorType>(op.getResult().getType());
  rows[op.getResult()] = simplify(own.replaceDims(places), type.getShape());
  return success();
}

/// A kernel of the user's does what its reference does, a fusion what its ops
/// do.
LogicalResult RowProof::followBody(Operation *op) {
  Block &body = op->getRegion(0).front();
  auto carry = [&](Value from, Value to) {
    if (AffineExpr row = rows.lookup(from)) {
      rows[to] = row;
    }
  };
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), op->getOperands())) {
    carry(input, argument);
  }
  if (failed(followAll(body))) {
    return failure();
  }
  for (auto [result, yielded] :
       llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands())) {
    carry(yielded, result);
  }
  return success();
}

/// Whether a region of `op` says what it does.
static bool hasBody(Operation *op) {
  return op->getNumRegions() == 1 && op->getRegion(0).hasOneBlock() &&
         op->getRegion(0).getNumArguments() == op->getNumOperands();
}

LogicalResult RowProof::followAll(Block &body) {
  for (Operation &op : body.without_terminator()) {
    if (failed(follow(&op))) {
      return failure();
    }
  }
  return success();
}

LogicalResult RowProof::follow(Operation *op) {
  if (llvm::none_of(op->getOperands(),
                    [&](Value operand) { return rows.contains(operand); })) {
    return success();
  }
  if (auto concat = dyn_cast<ConcatOp>(op)) {
    return followConcat(concat);
  }
  if (auto gather = dyn_cast<GatherOp>(op);
      gather && rows.contains(gather.getInput())) {
    return followGather(gather);
  }
  if (hasBody(op)) {
    return followBody(op);
  }
  if (keepsElements(op)) {
    AffineExpr row = rows.lookup(op->getOperand(0));
    rows[op->getResult(0)] = row;
    return success();
  }
  auto fusible = dyn_cast<FusibleOpInterface>(op);
  if (!fusible) {
    return mixes(op, "nothing says what it reads");
  }
  IterationSpace space = fusible.getIterationSpace();
  AffineExpr row;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    AffineExpr own = rows.lookup(operand);
    if (!own) {
      continue;
    }
    AffineMap map = space.operandMaps[number];
    if (!map) {
      return mixes(op, "what it reads of them depends on data");
    }
    AffineExpr read =
        simplify(own.replaceDims(map.getResults()), space.extents);
    if (row && read != row) {
      return mixes(op, "it combines different ones");
    }
    row = read;
  }
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    if (failed(setRow(op, i, row, space))) {
      return failure();
    }
  }
  return success();
}

FailureOr<SmallVector<int64_t>> RowProof::run() {
  if (failed(readArguments())) {
    return failure();
  }
  Block &body = function.getBody().front();
  if (failed(followAll(body))) {
    return failure();
  }
  SmallVector<int64_t> axes;
  for (auto [number, result] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    AffineExpr row = rows.lookup(result);
    AffineDimExpr axis = dyn_cast_or_null<AffineDimExpr>(row);
    // The first row is always there.
    bool isFirst = row == getAffineConstantExpr(0, context);
    if (row && !axis && !isFirst) {
      return mixes(body.getTerminator(),
                   "result " + Twine(number) + " has no dimension for them");
    }
    axes.push_back(axis ? int64_t(axis.getPosition()) : -1);
  }
  return axes;
}

FailureOr<SmallVector<int64_t>> findIndependentRows(func::FuncOp function,
                                                    StringRef dim) {
  return RowProof(function, dim, [](Operation *) { return false; }).run();
}

FailureOr<RowExpressions>
findRowExpressions(func::FuncOp function, StringRef dim,
                   llvm::function_ref<bool(Operation *)> keepsElements) {
  ScopedDiagnosticHandler quiet(function.getContext(),
                                [](Diagnostic &) { return success(); });
  RowProof proof(function, dim, keepsElements);
  if (failed(proof.run())) {
    return failure();
  }
  return proof.expressions();
}

} // namespace minic::graph
