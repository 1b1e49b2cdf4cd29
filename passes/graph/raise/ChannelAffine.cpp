// SPDX-License-Identifier: Apache-2.0
//
// One constant per channel that multiplies, or is added to, what a convolution
// or a linear computes becomes part of its filter and its bias: a batch norm
// with known statistics disappears. Only in f32: a filter of 16 bits would be
// rounded once more.

#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"

using namespace mlir;

namespace minic::graph {

/// Whether folding makes a constant of `value`, as of what these patterns
/// build.
static bool isConstant(Value value) {
  if (isKnown(value)) {
    return true;
  }
  Operation *op = value.getDefiningOp();
  return isa_and_present<MulOp, AddOp, ReshapeOp>(op) &&
         llvm::all_of(op->getOperands(), isConstant);
}

namespace {

/// A convolution or linear that nothing else reads, with what it computes for
/// each channel known.
struct ChannelProduct {
  Operation *op = nullptr;
  Value filter, bias;
  int64_t axis = 0; ///< of the result's channels

  static ChannelProduct get(Value value) {
    ChannelProduct product;
    if (auto conv = value.getDefiningOp<Conv2dOp>()) {
      int64_t axis = conv.getLayout() == ImageLayout::NCHW ? 1 : 3;
      product = {conv, conv.getFilter(), conv.getBias(), axis};
    } else if (auto linear = value.getDefiningOp<LinearOp>()) {
      product = {linear, linear.getWeight(), linear.getBias(),
                 linear.getType().getRank() - 1};
    }
    bool isFit = product.op && value.hasOneUse() &&
                 isConstant(product.filter) &&
                 (!product.bias || isConstant(product.bias)) &&
                 typeOf(value).getElementType().isF32() &&
                 typeOf(product.filter).hasStaticShape();
    return isFit ? product : ChannelProduct();
  }

  int64_t channels() const { return typeOf(filter).getShape()[0]; }

  /// The same with another filter and bias.
  Value clone(PatternRewriter &rewriter, Value newFilter, Value newBias) const {
    if (auto conv = dyn_cast<Conv2dOp>(op)) {
      return Conv2dOp::create(
          rewriter, op->getLoc(), conv.getType(), conv.getInput(), newFilter,
          newBias, conv.getStrides(), conv.getPads(), conv.getDilations(),
          conv.getGroups(), conv.getLayout());
    }
    auto linear = cast<LinearOp>(op);
    return LinearOp::create(rewriter, op->getLoc(), linear.getType(),
                            linear.getInput(), newFilter, newBias);
  }
};

/// The constant `value`, which varies along dimension `axis` of `type` alone,
/// as [channels]; null where it is none.
Value perChannel(PatternRewriter &rewriter, Value value, RankedTensorType type,
                 int64_t axis) {
  RankedTensorType own = typeOf(value);
  if (!isConstant(value) || own.getElementType() != type.getElementType() ||
      own.getRank() > type.getRank()) {
    return nullptr;
  }
  int64_t skipped = type.getRank() - own.getRank(), channels = 1;
  for (auto [dim, extent] : llvm::enumerate(own.getShape())) {
    if (int64_t(dim) + skipped == axis) {
      channels = extent;
    } else if (extent != 1) {
      return nullptr;
    }
  }
  // One number for all channels is a scale that other patterns look for.
  if (channels != type.getShape()[axis] || channels == 1) {
    return nullptr;
  }
  return ReshapeOp::create(rewriter, value.getLoc(), own.clone({channels}),
                           value);
}

/// `op` of a product and one constant a channel, on whichever side each stands.
/// `fold` makes the product with another filter or bias, given the constant.
template <typename Op>
LogicalResult foldIntoProduct(
    Op op, PatternRewriter &rewriter,
    function_ref<Value(const ChannelProduct &, Value constant)> fold) {
  for (bool swapped : {false, true}) {
    auto [value, constant] = operandsOf(op, swapped);
    ChannelProduct product = ChannelProduct::get(value);
    if (!product.op || value.getType() != op.getType()) {
      continue;
    }
    if (Value line =
            perChannel(rewriter, constant, op.getType(), product.axis)) {
      rewriter.replaceOp(op, fold(product, line));
      return success();
    }
  }
  return rewriter.notifyMatchFailure(
      op, "no product of f32 and one constant a channel");
}

/// product * constant
struct ScaleFilter : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    auto fold = [&](const ChannelProduct &product, Value scale) {
      RankedTensorType type = typeOf(product.filter);
      SmallVector<int64_t> column(type.getRank(), 1);
      column[0] = product.channels();
      Value factor =
          ReshapeOp::create(rewriter, op.getLoc(), type.clone(column), scale);
      Value filter =
          MulOp::create(rewriter, op.getLoc(), type, product.filter, factor);
      Value bias = product.bias;
      if (bias) {
        bias = MulOp::create(rewriter, op.getLoc(), typeOf(bias), bias, scale);
      }
      return product.clone(rewriter, filter, bias);
    };
    return foldIntoProduct(op, rewriter, fold);
  }
};

/// product + constant
struct AddToBias : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    auto fold = [&](const ChannelProduct &product, Value shift) {
      Value bias = product.bias;
      bias = bias ? Value(AddOp::create(rewriter, op.getLoc(), typeOf(bias),
                                        bias, shift))
                  : shift;
      return product.clone(rewriter, product.filter, bias);
    };
    return foldIntoProduct(op, rewriter, fold);
  }
};

} // namespace

void populateRaiseChannelAffine(RewritePatternSet &patterns) {
  patterns.add<ScaleFilter, AddToBias>(patterns.getContext());
}

} // namespace minic::graph
