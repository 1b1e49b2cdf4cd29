// SPDX-License-Identifier: Apache-2.0
//
// Folds that need no arithmetic; constants are evaluated by
// passes/graph/FoldConstants.cpp, with the reference evaluator. All of them
// hold for NaN, infinities and the sign of zero.

#include "dialects/graph/Graph.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace minic::graph {

//===----------------------------------------------------------------------===//
// Splat constants
//===----------------------------------------------------------------------===//

/// True if every element of `attribute` is `value`, sign of zero included.
static bool isSplatOf(Attribute attribute, double value) {
  auto elements = dyn_cast_if_present<DenseElementsAttr>(attribute);
  if (!elements || !elements.isSplat()) {
    return false;
  }
  if (isa<FloatType>(elements.getElementType())) {
    APFloat splat = elements.getSplatValue<APFloat>();
    bool losesInfo = false;
    splat.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return splat.bitwiseIsEqual(APFloat(value));
  }
  return elements.getElementType().isInteger() &&
         !elements.getElementType().isInteger(1) &&
         elements.getSplatValue<APInt>().getSExtValue() == int64_t(value);
}

static bool isFloat(Value value) {
  return isa<FloatType>(
      cast<RankedTensorType>(value.getType()).getElementType());
}

/// `value` as the result of `op`, where broadcasting does not change it.
static OpFoldResult as(Operation *op, Value value) {
  return value.getType() == op->getResult(0).getType() ? value : Value();
}

//===----------------------------------------------------------------------===//
// Pointwise ops
//===----------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // x + 0.0 turns -0.0 into 0.0; x + -0.0 is x.
  return isSplatOf(adaptor.getRhs(), isFloat(getRhs()) ? -0.0 : 0.0)
             ? as(*this, getLhs())
             : OpFoldResult();
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getRhs(), 0.0) ? as(*this, getLhs())
                                          : OpFoldResult();
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getRhs(), 1.0) ? as(*this, getLhs())
                                          : OpFoldResult();
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getRhs(), 1.0) ? as(*this, getLhs())
                                          : OpFoldResult();
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getRhs(), 1.0) ? as(*this, getLhs())
                                          : OpFoldResult();
}

OpFoldResult ModOp::fold(FoldAdaptor) { return {}; }

/// True if every bit of `attribute` is `bit`.
static bool isSplatOfBits(Attribute attribute, bool bit) {
  auto elements = dyn_cast_if_present<DenseElementsAttr>(attribute);
  if (!elements || !elements.isSplat()) {
    return false;
  }
  auto splat = elements.getSplatValue<APInt>();
  return bit ? splat.isAllOnes() : splat.isZero();
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  bool isLhs = getLhs() == getRhs() || isSplatOfBits(adaptor.getRhs(), true);
  return isLhs ? as(*this, getLhs()) : OpFoldResult();
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  bool isLhs = getLhs() == getRhs() || isSplatOfBits(adaptor.getRhs(), false);
  return isLhs ? as(*this, getLhs()) : OpFoldResult();
}

OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  return isSplatOfBits(adaptor.getRhs(), false) ? as(*this, getLhs())
                                                : OpFoldResult();
}

OpFoldResult NotOp::fold(FoldAdaptor) {
  auto producer = getInput().getDefiningOp<NotOp>();
  return producer ? producer.getInput() : Value();
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  bool isLhs = getLhs() == getRhs() ||
               (isFloat(getRhs()) && isSplatOf(adaptor.getRhs(), -INFINITY));
  return isLhs ? as(*this, getLhs()) : OpFoldResult();
}

OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  bool isLhs = getLhs() == getRhs() ||
               (isFloat(getRhs()) && isSplatOf(adaptor.getRhs(), INFINITY));
  return isLhs ? as(*this, getLhs()) : OpFoldResult();
}

OpFoldResult NegOp::fold(FoldAdaptor) {
  auto producer = getInput().getDefiningOp<NegOp>();
  return producer ? producer.getInput() : Value();
}

OpFoldResult AbsOp::fold(FoldAdaptor) {
  return getInput().getDefiningOp<AbsOp>() ? getInput() : Value();
}

OpFoldResult ReluOp::fold(FoldAdaptor) {
  return isa_and_present<ReluOp, AbsOp, SigmoidOp, ExpOp>(
             getInput().getDefiningOp())
             ? getInput()
             : Value();
}

OpFoldResult ClampOp::fold(FoldAdaptor) {
  bool isUnbounded = getLower().isInfinity() && getLower().isNegative() &&
                     getUpper().isInfinity() && !getUpper().isNegative();
  return isUnbounded ? getInput() : Value();
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  auto condition =
      dyn_cast_if_present<DenseElementsAttr>(adaptor.getCondition());
  if (getOnTrue() == getOnFalse()) {
    return as(*this, getOnTrue());
  }
  if (!condition || !condition.isSplat()) {
    return {};
  }
  return as(*this,
            condition.getSplatValue<bool>() ? getOnTrue() : getOnFalse());
}

/// True if every number of dtype `from` is one of dtype `to`.
static bool isExact(Type from, Type to) {
  if (from == to || from.isInteger(1)) {
    return true;
  }
  if (isa<FloatType>(from)) {
    return to.isF32();
  }
  // 8 bits fit the significands of f16 and bf16.
  return from.isInteger(8) ? !to.isInteger(1) && !to.isInteger(8)
                           : from.isInteger(32) && to.isInteger(64);
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType()) {
    return getInput();
  }
  auto producer = getInput().getDefiningOp<CastOp>();
  if (!producer || !isExact(producer.getInput().getType().getElementType(),
                            producer.getType().getElementType())) {
    return {};
  }
  if (producer.getInput().getType() == getType()) {
    return producer.getInput();
  }
  getInputMutable().assign(producer.getInput());
  return getResult();
}

namespace {

/// x to the power of 2 is x * x.
struct SquareByMultiplying : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PowOp op,
                                PatternRewriter &rewriter) const override {
    Attribute exponent;
    if (!matchPattern(op.getRhs(), m_Constant(&exponent)) ||
        !isSplatOf(exponent, 2.0)) {
      return rewriter.notifyMatchFailure(op, "the exponent is not 2");
    }
    if (op.getLhs().getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "the exponent broadcasts x");
    }
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(),
                                       op.getLhs());
    return success();
  }
};

/// Division by a power of two is multiplication by its inverse, exactly.
struct DivideByMultiplying : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr divisor;
    if (!isFloat(op.getRhs())) {
      return rewriter.notifyMatchFailure(op, "integers truncate");
    }
    if (!matchPattern(op.getRhs(), m_Constant(&divisor)) ||
        !divisor.isSplat()) {
      return rewriter.notifyMatchFailure(op, "the divisor is not one constant");
    }
    APFloat value = divisor.getSplatValue<APFloat>();
    APFloat inverse(value.getSemantics());
    if (!value.getExactInverse(&inverse)) {
      return rewriter.notifyMatchFailure(op,
                                         "the divisor has no exact inverse");
    }
    auto constant = ConstantOp::create(
        rewriter, op.getRhs().getLoc(),
        cast<ElementsAttr>(DenseElementsAttr::get(divisor.getType(), inverse)));
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(), constant);
    return success();
  }
};

} // namespace

void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<SquareByMultiplying>(context);
}

void DivOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<DivideByMultiplying>(context);
}

//===----------------------------------------------------------------------===//
// Constants and layout ops
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) {
  // Rewrites ask every constant for an attribute. The name stands for bytes
  // that are not there yet.
  if (!getValueAttr()) {
    return getSourceAttr();
  }
  return getValueAttr();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType()) {
    return getInput();
  }
  if (auto producer = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(producer.getInput());
    return getResult();
  }
  return {};
}

bool keepsElementOrder(ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation) {
  int64_t last = -1;
  for (int64_t dim : permutation) {
    if (shape[dim] == 1) {
      continue;
    }
    if (dim < last) {
      return false;
    }
    last = dim;
  }
  return true;
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()))) {
    return getInput();
  }
  auto producer = getInput().getDefiningOp<TransposeOp>();
  if (!producer) {
    return {};
  }
  SmallVector<int64_t> composed;
  for (int64_t dim : permutation) {
    composed.push_back(producer.getPermutation()[dim]);
  }
  getInputMutable().assign(producer.getInput());
  setPermutation(composed);
  return getResult();
}

namespace {

/// A transpose that moves dimensions of extent 1 only is a reshape, which
/// costs nothing.
struct TransposeOfUnitDims : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto input = op.getInput().getType();
    if (!input.hasStaticShape() ||
        !keepsElementOrder(input.getShape(), op.getPermutation())) {
      return rewriter.notifyMatchFailure(op, "it moves elements");
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};

} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<TransposeOfUnitDims>(context);
}

} // namespace minic::graph
