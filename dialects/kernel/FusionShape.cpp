// SPDX-License-Identifier: Apache-2.0
//
// Splits a fusion body into anchor, prologue and epilogue, and turns a
// contraction into strides, a convolution into extents.

#include "dialects/kernel/FusionShape.h"

#include "dialects/kernel/ColumnTurns.h"
#include "dialects/kernel/FusionGraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace minic::kernel {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// "[4, 8]", for reasons that people read.
static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os);
  os << ']';
  return text;
}

int64_t GemmShape::batchCount() const { return llvm::product_of(batch); }

BroadcastMap BroadcastMap::get(ArrayRef<int64_t> operandShape,
                               ArrayRef<int64_t> spaceShape) {
  assert(operandShape.size() <= spaceShape.size() && "operand does not fit");
  BroadcastMap map;
  map.strides.assign(spaceShape.size(), 0);
  size_t skipped = spaceShape.size() - operandShape.size();
  int64_t stride = 1;
  for (size_t i = operandShape.size(); i-- > 0;) {
    // An extent of 1 is read at one index only, whatever the space's is.
    map.strides[skipped + i] = operandShape[i] == 1 ? 0 : stride;
    stride *= operandShape[i];
  }
  return map;
}

/// Row-major strides of `value` over the iterators of `map`, whose results are
/// iterators or 0.
static SmallVector<int64_t> stridesOver(AffineMap map, Value value) {
  SmallVector<int64_t> strides(map.getNumDims());
  int64_t stride = 1;
  for (auto [index, extent] :
       llvm::zip_equal(llvm::reverse(map.getResults()),
                       llvm::reverse(typeOf(value).getShape()))) {
    if (auto dim = dyn_cast<AffineDimExpr>(index)) {
      strides[dim.getPosition()] = stride;
    }
    stride *= extent;
  }
  return strides;
}

/// Parallel iterators are [batch..., m, n]; a vector times a matrix has no m.
static FailureOr<GemmShape> getContraction(Operation *op) {
  auto fusible = cast<graph::FusibleOpInterface>(op);
  graph::IterationSpace space = fusible.getIterationSpace();
  size_t n = space.parallelCount() - 1, k = n + 1;
  bool isSimple = llvm::all_of(space.operandMaps, [](AffineMap map) {
    return map.isProjectedPermutation(/*allowZeroInResults=*/true);
  });
  if (space.rank() != k + 1 || !isSimple) {
    return failure();
  }
  GemmShape gemm;
  gemm.lhs = op->getOperand(0);
  gemm.rhs = op->getOperand(1);
  gemm.bias = op->getNumOperands() > 2 ? op->getOperand(2) : Value();
  gemm.n = space.extents[n];
  gemm.k = space.extents[k];
  auto lhs = stridesOver(space.operandMaps[0], gemm.lhs);
  auto rhs = stridesOver(space.operandMaps[1], gemm.rhs);
  gemm.lhsStrideK = lhs[k];
  gemm.rhsStrideN = rhs[n];
  gemm.rhsStrideK = rhs[k];
  if (n == 0) {
    gemm.lhsStrideM = gemm.k;
    return gemm;
  }
  gemm.m = space.extents[n - 1];
  gemm.lhsStrideM = lhs[n - 1];
  gemm.batch.assign(space.extents.begin(), space.extents.begin() + (n - 1));

  // One right operand for all of a dense left one: the batch is more rows.
  bool rhsIsShared = llvm::all_of(ArrayRef(rhs).take_front(n - 1),
                                  [](int64_t stride) { return stride == 0; });
  bool isRowMajor = space.operandMaps[0].getResults().back() ==
                    getAffineDimExpr(k, op->getContext());
  if (rhsIsShared && isRowMajor &&
      typeOf(gemm.lhs).getShape().drop_back(2) == ArrayRef(gemm.batch)) {
    gemm.m *= gemm.batchCount();
    gemm.batch.clear();
    return gemm;
  }
  gemm.lhsBatchStrides.assign(lhs.begin(), lhs.begin() + (n - 1));
  gemm.rhsBatchStrides.assign(rhs.begin(), rhs.begin() + (n - 1));
  return gemm;
}

static ConvShape getConvolution(graph::Conv2dOp op) {
  return {.geometry = op.getGeometry(),
          .input = op.getInput(),
          .filter = op.getFilter(),
          .bias = op.getBias(),
          .inputType = op.getInput().getType().getElementType(),
          .filterType = op.getFilter().getType().getElementType(),
          .resultType = op.getType().getElementType()};
}

/// The body ops that `roots` need, up to `stop` and the body's arguments, in
/// body order.
static SmallVector<Operation *>
getBackwardSlice(FusionOp fusion, ValueRange roots, Operation *stop) {
  llvm::SmallPtrSet<Operation *, 16> needed;
  SmallVector<Value> worklist(roots.begin(), roots.end());
  while (!worklist.empty()) {
    Operation *producer = worklist.pop_back_val().getDefiningOp();
    if (producer && producer != stop && needed.insert(producer).second) {
      llvm::append_range(worklist, producer->getOperands());
    }
  }
  auto ops = fusion.getBodyOps();
  llvm::erase_if(ops, [&](Operation *op) { return !needed.contains(op); });
  return ops;
}

/// FusionShape::turns of `anchor`.
static SmallVector<Value, 2> getTurns(Operation *anchor, ColumnTurns turns) {
  auto slices =
      turns == ColumnTurns::Taken ? getColumnTurns(anchor) : std::nullopt;
  if (!slices) {
    return {};
  }
  auto [even, odd] = *slices;
  return {even.getResult(), odd.getResult()};
}

FailureOr<FusionShape> FusionShape::get(FusionOp fusion, std::string *reason,
                                        ColumnTurns turns) {
  auto fail = [&](const Twine &why) -> FailureOr<FusionShape> {
    if (reason) {
      *reason = why.str();
    }
    return failure();
  };
  FailureOr<FusionGraph> graph = FusionGraph::get(fusion, reason);
  if (failed(graph)) {
    return failure();
  }
  FusionShape shape;
  for (const Stage &stage : graph->stages) {
    if (!stage.isAnchor()) {
      continue;
    }
    if (shape.anchor) {
      return fail("more than one contraction or convolution in the body");
    }
    shape.anchor = stage.ops.front();
    if (stage.kind == StageKind::Reduction) {
      return fail(shape.anchor->getName().getStringRef() + " in the body");
    }
  }
  llvm::append_range(shape.results, fusion.getYield().getValues());
  if (shape.results.empty()) {
    return fail("no results");
  }
  for (Value result : shape.results) {
    if (isa<BlockArgument>(result)) {
      return fail("a result that is an operand of the fusion");
    }
  }
  shape.epilogue = getBackwardSlice(fusion, shape.results, shape.anchor);

  if (shape.anchor) {
    auto resultType = typeOf(shape.anchor->getResult(0));
    if (auto conv = dyn_cast<graph::Conv2dOp>(shape.anchor)) {
      shape.conv = getConvolution(conv);
    } else {
      auto gemm = getContraction(shape.anchor);
      if (failed(gemm)) {
        return fail(shape.anchor->getName().getStringRef() +
                    " is no batch of matrix products");
      }
      shape.gemm = *gemm;
      shape.gemm->lhsType = typeOf(shape.gemm->lhs).getElementType();
      shape.gemm->rhsType = typeOf(shape.gemm->rhs).getElementType();
      shape.gemm->resultType = resultType.getElementType();
    }
    shape.turns = getTurns(shape.anchor, turns);
    llvm::append_range(shape.space,
                       shape.turns.empty()
                           ? resultType.getShape()
                           : typeOf(shape.turns.front()).getShape());
    llvm::erase_if(shape.epilogue, [&](Operation *op) {
      return llvm::is_contained(shape.turns, op->getResult(0));
    });
    shape.prologue =
        getBackwardSlice(fusion, shape.anchor->getOperands(), nullptr);
    for (Operation *op :
         llvm::concat<Operation *>(shape.prologue, shape.epilogue)) {
      if (!isa<graph::PointwiseOpInterface>(op)) {
        return fail(op->getName().getStringRef() + " beside a " +
                    (shape.conv ? "convolution" : "contraction"));
      }
    }
  } else {
    for (Value result : shape.results) {
      auto merged =
          graph::broadcastShapes(shape.space, typeOf(result).getShape());
      if (failed(merged)) {
        return fail("results of shapes " + shapeText(shape.space) + " and " +
                    shapeText(typeOf(result).getShape()) +
                    " do not share an iteration space");
      }
      shape.space = *merged;
    }
  }
  for (Value result : shape.results) {
    if (typeOf(result).getShape() != ArrayRef<int64_t>(shape.space)) {
      return fail("a result of shape " + shapeText(typeOf(result).getShape()) +
                  " in an iteration space of shape " + shapeText(shape.space));
    }
  }
  llvm::SmallSetVector<Value, 8> inputs;
  for (Operation *op : shape.epilogue) {
    for (Value operand : op->getOperands()) {
      if (isa<BlockArgument>(operand)) {
        inputs.insert(operand);
      }
    }
  }
  shape.epilogueInputs = inputs.takeVector();
  return shape;
}

} // namespace minic::kernel
