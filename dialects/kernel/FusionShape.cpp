// SPDX-License-Identifier: Apache-2.0
//
// Splits a fusion body into anchor, prologue and epilogue, and turns linear
// and matmul into strides, a convolution into extents.

#include "dialects/kernel/FusionShape.h"

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

static GemmShape getLinear(graph::LinearOp op) {
  GemmShape gemm;
  ArrayRef<int64_t> input = op.getInput().getType().getShape();
  ArrayRef<int64_t> weight = op.getWeight().getType().getShape();
  gemm.m = llvm::product_of(input.drop_back());
  gemm.n = weight[0];
  gemm.k = weight[1];
  gemm.lhs = op.getInput();
  gemm.rhs = op.getWeight();
  gemm.bias = op.getBias();
  gemm.lhsStrideM = gemm.k;
  gemm.lhsStrideK = 1;
  gemm.rhsStrideN = gemm.k;
  gemm.rhsStrideK = 1;
  return gemm;
}

static GemmShape getMatmul(graph::MatmulOp op) {
  GemmShape gemm;
  ArrayRef<int64_t> lhs = op.getLhs().getType().getShape();
  ArrayRef<int64_t> rhs = op.getRhs().getType().getShape();
  ArrayRef<int64_t> result = op.getType().getShape();
  gemm.m = result[result.size() - 2];
  gemm.n = result.back();
  gemm.k = op.getTransposeLhs() ? lhs[lhs.size() - 2] : lhs.back();
  gemm.lhs = op.getLhs();
  gemm.rhs = op.getRhs();
  gemm.lhsStrideM = op.getTransposeLhs() ? 1 : gemm.k;
  gemm.lhsStrideK = op.getTransposeLhs() ? gemm.m : 1;
  gemm.rhsStrideN = op.getTransposeRhs() ? gemm.k : 1;
  gemm.rhsStrideK = op.getTransposeRhs() ? 1 : gemm.n;
  gemm.batch.assign(result.begin(), result.end() - 2);
  auto batchStrides = [&](ArrayRef<int64_t> operand) {
    // The operand's matrix is one element of its batch.
    int64_t matrix = operand[operand.size() - 2] * operand.back();
    auto strides = BroadcastMap::get(operand.drop_back(2), gemm.batch).strides;
    for (int64_t &stride : strides) {
      stride *= matrix;
    }
    return strides;
  };
  gemm.lhsBatchStrides = batchStrides(lhs);
  gemm.rhsBatchStrides = batchStrides(rhs);

  // One right operand for all of a dense left one: the batch is more rows.
  bool rhsIsShared =
      llvm::all_of(gemm.rhsBatchStrides, [](int64_t s) { return s == 0; });
  if (!gemm.batch.empty() && rhsIsShared && !op.getTransposeLhs() &&
      lhs.drop_back(2) == ArrayRef<int64_t>(gemm.batch)) {
    gemm.m *= gemm.batchCount();
    gemm.batch.clear();
    gemm.lhsBatchStrides.clear();
    gemm.rhsBatchStrides.clear();
  }
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

FailureOr<FusionShape> FusionShape::get(FusionOp fusion, std::string *reason) {
  auto fail = [&](const Twine &why) -> FailureOr<FusionShape> {
    if (reason) {
      *reason = why.str();
    }
    return failure();
  };
  FusionShape shape;
  for (Operation *op : fusion.getBodyOps()) {
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                              op->getResultTypes())) {
      if (!cast<RankedTensorType>(type).hasStaticShape()) {
        return fail("dynamic shapes are unsupported");
      }
    }
    if (graph::isAnchor(op)) {
      if (shape.anchor) {
        return fail("more than one contraction or convolution in the body");
      }
      shape.anchor = op;
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
      auto linear = dyn_cast<graph::LinearOp>(shape.anchor);
      shape.gemm = linear ? getLinear(linear)
                          : getMatmul(cast<graph::MatmulOp>(shape.anchor));
      shape.gemm->lhsType = typeOf(shape.gemm->lhs).getElementType();
      shape.gemm->rhsType = typeOf(shape.gemm->rhs).getElementType();
      shape.gemm->resultType = resultType.getElementType();
    }
    shape.space.assign(resultType.getShape().begin(),
                       resultType.getShape().end());
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
