// SPDX-License-Identifier: Apache-2.0
//
// graph-push-transposes: transposes move toward inputs where that makes them
// disappear. A transpose that would only end up elsewhere is left where the
// model has it: a fusion reads it as strides.

#include "passes/graph/Passes.h"

#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

namespace minic::graph {
#define GEN_PASS_DEF_PUSHTRANSPOSES
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;
using namespace minic::graph;

/// How many pointwise ops a transpose is followed through. Beyond this, models
/// gain nothing and the search would repeat itself.
static constexpr int maxDepth = 16;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// True if `permutation` exchanges the last two dimensions and no others.
static bool swapsLastTwo(ArrayRef<int64_t> permutation) {
  int64_t rank = permutation.size();
  if (rank < 2) {
    return false;
  }
  auto swapped = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(swapped[rank - 2], swapped[rank - 1]);
  return permutation == ArrayRef(swapped);
}

/// `shape` with leading ones up to `rank` dimensions.
static SmallVector<int64_t> expanded(ArrayRef<int64_t> shape, size_t rank) {
  SmallVector<int64_t> result(rank - shape.size(), 1);
  llvm::append_range(result, shape);
  return result;
}

/// True if `permutation` takes images of `layout` to the other one.
static bool changesLayout(ArrayRef<int64_t> permutation, ImageLayout layout) {
  static constexpr int64_t toNhwc[] = {0, 2, 3, 1}, toNchw[] = {0, 3, 1, 2};
  return permutation == ArrayRef(layout == ImageLayout::NCHW ? toNhwc : toNchw);
}

/// The layout of an op that has its image in either one; none for others. Its
/// first operand and its result are images.
static std::optional<ImageLayout> imageLayoutOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ImageLayout>>(op)
      .Case<Conv2dOp, ConvTranspose2dOp, Pool2dOp, ResizeOp>(
          [](auto image) { return image.getLayout(); })
      .Default(std::nullopt);
}

/// The value that `transpose` swaps the last two dimensions of; null if
/// `value` is not such a transpose.
static Value swappedInput(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  return transpose && swapsLastTwo(transpose.getPermutation())
             ? transpose.getInput()
             : Value();
}

/// True if a transpose of `value`, broadcast to the permutation's rank,
/// disappears on the way to its producers.
static bool disappears(Value value, ArrayRef<int64_t> permutation, int depth) {
  RankedTensorType type = typeOf(value);
  if (!type.hasStaticShape()) {
    return false;
  }
  auto shape = expanded(type.getShape(), permutation.size());
  if (keepsElementOrder(shape, permutation)) {
    return true;
  }
  Operation *producer = value.getDefiningOp();
  if (!producer || depth == 0) {
    return false;
  }
  if (auto constant = dyn_cast<ConstantOp>(producer)) {
    return bool(constant.getValueAttr());
  }
  if (type.getRank() != int64_t(permutation.size())) {
    return false;
  }
  if (auto transpose = dyn_cast<TransposeOp>(producer)) {
    // The two become one, and none if they cancel.
    SmallVector<int64_t> composed;
    for (int64_t dim : permutation) {
      composed.push_back(transpose.getPermutation()[dim]);
    }
    return producer->hasOneUse() ||
           keepsElementOrder(typeOf(transpose.getInput()).getShape(), composed);
  }
  if (!producer->hasOneUse()) {
    return false;
  }
  if (isa<MatmulOp>(producer)) {
    return swapsLastTwo(permutation);
  }
  if (auto layout = imageLayoutOf(producer)) {
    return changesLayout(permutation, *layout) &&
           disappears(producer->getOperand(0), permutation, depth - 1);
  }
  return isa<PointwiseOpInterface>(producer) &&
         llvm::all_of(producer->getOperands(), [&](Value operand) {
           return disappears(operand, permutation, depth - 1);
         });
}

namespace {

/// pointwise(...) transposed becomes pointwise of transposed operands.
struct PushThroughPointwise : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    Operation *producer = op.getInput().getDefiningOp();
    if (!isa_and_present<PointwiseOpInterface>(producer)) {
      return rewriter.notifyMatchFailure(op, "not of a pointwise result");
    }
    if (!producer->hasOneUse()) {
      return rewriter.notifyMatchFailure(op, "others use the result as it is");
    }
    if (keepsElementOrder(typeOf(op.getInput()).getShape(),
                          op.getPermutation())) {
      return rewriter.notifyMatchFailure(op, "it is a reshape");
    }
    if (!disappears(op.getInput(), op.getPermutation(), maxDepth)) {
      return rewriter.notifyMatchFailure(
          op, "would not disappear on the way to every operand");
    }
    SmallVector<Value> operands;
    for (Value operand : producer->getOperands()) {
      operands.push_back(transposed(rewriter, op, operand));
    }
    OperationState state(op.getLoc(), producer->getName());
    state.addOperands(operands);
    state.addTypes(op.getType());
    state.addAttributes(llvm::to_vector(producer->getDiscardableAttrs()));
    Operation *moved = rewriter.create(state);
    moved->copyProperties(producer->getPropertiesStorage());
    rewriter.replaceOp(op, moved);
    return success();
  }

private:
  static Value transposed(PatternRewriter &rewriter, TransposeOp op,
                          Value operand) {
    RankedTensorType type = typeOf(operand);
    ArrayRef<int64_t> permutation = op.getPermutation();
    // One element is the same in every shape that it is broadcast to.
    if (type.getNumElements() == 1) {
      return operand;
    }
    auto shape = expanded(type.getShape(), permutation.size());
    if (type.getRank() != int64_t(shape.size())) {
      operand =
          ReshapeOp::create(rewriter, op.getLoc(), type.clone(shape), operand);
    }
    return TransposeOp::create(rewriter, op.getLoc(), operand, permutation);
  }
};

/// matmul reads a transposed operand as it is.
struct FoldIntoMatmul : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    Value lhs = swappedInput(op.getLhs()), rhs = swappedInput(op.getRhs());
    if (!lhs && !rhs) {
      return rewriter.notifyMatchFailure(
          op, "no operand with its last two dimensions exchanged");
    }
    rewriter.replaceOpWithNewOp<MatmulOp>(
        op, op.getType(), lhs ? lhs : op.getLhs(), rhs ? rhs : op.getRhs(),
        op.getTransposeLhs() != bool(lhs), op.getTransposeRhs() != bool(rhs));
    return success();
  }
};

/// transpose(lhs * rhs) is transpose(rhs) * transpose(lhs).
struct SwapMatmulOperands : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto matmul = op.getInput().getDefiningOp<MatmulOp>();
    if (!matmul || !matmul->hasOneUse()) {
      return rewriter.notifyMatchFailure(op, "not the only use of a matmul");
    }
    if (!swapsLastTwo(op.getPermutation())) {
      return rewriter.notifyMatchFailure(op, "permutes batch dimensions");
    }
    rewriter.replaceOpWithNewOp<MatmulOp>(
        op, op.getType(), matmul.getRhs(), matmul.getLhs(),
        !matmul.getTransposeRhs(), !matmul.getTransposeLhs());
    return success();
  }
};

/// linear whose weight or matrix input is transposed becomes a matmul that
/// reads them as they are. A constant weight is folded instead.
struct LinearToMatmul : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    if (typeOf(op.getInput()).getRank() < 2) {
      return rewriter.notifyMatchFailure(op, "the input is a vector");
    }
    Value weight = swappedInput(op.getWeight());
    if (weight) {
      auto constant = weight.getDefiningOp<ConstantOp>();
      if (constant && constant.getValueAttr()) {
        weight = nullptr;
      }
    }
    Value input = swappedInput(op.getInput());
    // A batch of matrices times one weight is one tall matrix only
    // untransposed.
    if (input && typeOf(input).getRank() != 2) {
      input = nullptr;
    }
    if (!weight && !input) {
      return rewriter.notifyMatchFailure(op, "no transposed operand to read");
    }
    Value product = MatmulOp::create(
        rewriter, op.getLoc(), op.getType(), input ? input : op.getInput(),
        weight ? weight : op.getWeight(), /*transpose_lhs=*/bool(input),
        /*transpose_rhs=*/!weight);
    if (op.getBias()) {
      product = AddOp::create(rewriter, op.getLoc(), product, op.getBias());
    }
    rewriter.replaceOp(op, product);
    return success();
  }
};

/// A convolution, pool or resize transposed to the other layout is one of that
/// layout, where its input's transpose disappears.
struct ChangeImageLayout : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    Operation *producer = op.getInput().getDefiningOp();
    auto layout = producer ? imageLayoutOf(producer) : std::nullopt;
    if (!layout || !producer->hasOneUse()) {
      return rewriter.notifyMatchFailure(op, "not the only use of an image op");
    }
    if (!changesLayout(op.getPermutation(), *layout)) {
      return rewriter.notifyMatchFailure(op, "not to the other layout");
    }
    Value image = producer->getOperand(0);
    if (!disappears(image, op.getPermutation(), maxDepth)) {
      return rewriter.notifyMatchFailure(
          op, "would not disappear on the way to the input");
    }
    Value input =
        TransposeOp::create(rewriter, op.getLoc(), image, op.getPermutation());
    ImageLayout other =
        *layout == ImageLayout::NCHW ? ImageLayout::NHWC : ImageLayout::NCHW;
    // The same op with another layout: attributes may be properties.
    OperationState state(op.getLoc(), producer->getName());
    state.addOperands(input);
    state.addOperands(producer->getOperands().drop_front());
    state.addTypes(op.getType());
    NamedAttrList attributes(producer->getAttrDictionary());
    attributes.set("layout",
                   rewriter.getStringAttr(stringifyImageLayout(other)));
    state.addAttributes(attributes);
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

struct PushTransposes : graph::impl::PushTransposesBase<PushTransposes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<PushThroughPointwise, FoldIntoMatmul, SwapMatmulOperands,
                 LinearToMatmul, ChangeImageLayout>(&getContext());
    TransposeOp::getCanonicalizationPatterns(patterns, &getContext());
    // If the driver reaches its limit first, the module is still right.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace
