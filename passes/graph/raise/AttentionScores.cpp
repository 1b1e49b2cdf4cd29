// SPDX-License-Identifier: Apache-2.0
//
// Walks from the weights to the softmax, and from there to the first product.

#include "passes/graph/raise/AttentionScores.h"

#include "passes/graph/raise/Match.h"

#include <cmath>

using namespace mlir;

namespace minic::graph {

bool ScoreMask::isBool() const {
  return typeOf(value).getElementType().isInteger(1);
}

namespace {

bool isFloatCast(CastOp op) {
  return isFloat(op.getInput()) &&
         isa<FloatType>(op.getType().getElementType());
}

/// Only the dimensions in front of the matrices differ.
bool keepsMatrices(ReshapeOp op) {
  ArrayRef<int64_t> from = typeOf(op.getInput()).getShape();
  ArrayRef<int64_t> to = op.getType().getShape();
  return from.size() >= 2 && to.size() >= 2 &&
         from.take_back(2) == to.take_back(2);
}

/// x in select(is_nan(x), 0, x), which exporters write behind a softmax for
/// queries without keys; null for other ops.
Value guardedBy(SelectOp op) {
  Value x = op.getOnFalse();
  if (!isScalarNear(op.getOnTrue(), 0) || x.getType() != op.getType()) {
    return {};
  }
  if (auto isNan = op.getCondition().getDefiningOp<IsNanOp>()) {
    return isNan.getInput() == x ? x : Value();
  }
  auto compare = op.getCondition().getDefiningOp<CompareOp>();
  bool isNan = compare && compare.getPredicate() == ComparePredicate::Ne &&
               compare.getLhs() == x && compare.getRhs() == x;
  return isNan ? x : Value();
}

/// Whether nobody but `reader`, and ops that it alone reads, uses `value`.
bool isReadOnlyBy(Value value, Operation *reader) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == reader ||
           (isa<IsNanOp, CompareOp>(user) &&
            llvm::all_of(user->getUsers(),
                         [&](Operation *next) { return next == reader; }));
  });
}

class ScoreWalk {
public:
  explicit ScoreWalk(std::string &reason) : reason_(reason) {}

  std::optional<AttentionScores> run(OpOperand &weights) {
    SoftmaxOp softmax = findSoftmax(weights.get(), weights.getOwner());
    if (!softmax) {
      return std::nullopt;
    }
    RankedTensorType type = softmax.getType();
    if (type.getRank() < 2 ||
        softmax.getAxis() != uint64_t(type.getRank() - 1)) {
      return fail("softmax is not along the keys");
    }
    if (!type.hasStaticShape()) {
      return fail("a dynamic shape");
    }
    see(type);
    return findProduct(softmax.getInput(), softmax) ? std::optional(scores_)
                                                    : std::nullopt;
  }

private:
  //===------------------------------------------------------------------===//
  // From the weights to the softmax
  //===------------------------------------------------------------------===//

  SoftmaxOp findSoftmax(Value value, Operation *reader) {
    while (Operation *op = value.getDefiningOp()) {
      if (!isReadOnlyBy(value, reader)) {
        fail("the weights are used elsewhere");
        return {};
      }
      Value next;
      if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
        return softmax;
      }
      if (auto reshape = dyn_cast<ReshapeOp>(op)) {
        next = keepsMatrices(reshape) ? reshape.getInput() : Value();
      } else if (auto cast = dyn_cast<CastOp>(op)) {
        next = isFloatCast(cast) ? cast.getInput() : Value();
      } else if (auto select = dyn_cast<SelectOp>(op)) {
        next = guardedBy(select);
        scores_.isGuarded |= bool(next);
      }
      if (!next) {
        break;
      }
      reader = op;
      value = next;
    }
    fail("the left operand does not come from a softmax");
    return {};
  }

  //===------------------------------------------------------------------===//
  // From the softmax to the product
  //===------------------------------------------------------------------===//

  bool findProduct(Value value, Operation *reader) {
    while (true) {
      if (!isReadOnlyBy(value, reader)) {
        fail("the scores are used elsewhere");
        return false;
      }
      Operation *op = value.getDefiningOp();
      if (auto product = dyn_cast_or_null<MatmulOp>(op)) {
        see(product.getType());
        scores_.product = product;
        return true;
      }
      Value next = op ? step(op) : Value();
      if (!next) {
        fail("the scores do not come from a product");
        return false;
      }
      see(typeOf(next));
      reader = op;
      value = next;
    }
  }

  /// What `op` computes scores of; null where it does not.
  Value step(Operation *op) {
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      return keepsMatrices(reshape) ? reshape.getInput() : Value();
    }
    if (auto cast = dyn_cast<CastOp>(op)) {
      // Scores are f32: narrower ones would be rounded.
      return isFloatCast(cast) && cast.getType().getElementType().isF32()
                 ? cast.getInput()
                 : Value();
    }
    if (auto tanh = dyn_cast<TanhOp>(op)) {
      return capOf(tanh);
    }
    if (auto select = dyn_cast<SelectOp>(op)) {
      return maskOf(select);
    }
    if (isa<AddOp>(op)) {
      return addedTo(op);
    }
    return isa<MulOp, DivOp>(op) ? scaledBy(op) : Value();
  }

  /// x in x * c or x / c.
  Value scaledBy(Operation *op) {
    for (bool swapped : {false, true}) {
      auto [x, constant] = operandsOf(op, swapped);
      std::optional<double> factor = scalarOf(constant);
      bool isScale = factor && *factor > 0 && std::isfinite(*factor) &&
                     x.getType() == op->getResult(0).getType() &&
                     !(swapped && isa<DivOp>(op));
      if (isScale) {
        scores_.scale *= isa<DivOp>(op) ? 1 / *factor : *factor;
        return x;
      }
    }
    return {};
  }

  /// x in c * tanh(x / c), of which the factor in front was seen already.
  Value capOf(TanhOp op) {
    if (scores_.softCap) {
      return {};
    }
    // The factors before it divide by the cap; what is left is the scale.
    scores_.softCap = scores_.scale;
    return op.getInput();
  }

  /// Scores that a mask is applied to: a scale behind it would be the mask's,
  /// and a cap too.
  bool canMask() const { return scores_.scale == 1 && !scores_.softCap; }

  /// x in select(condition, x, fill) and select(condition, fill, x).
  Value maskOf(SelectOp op) {
    if (!canMask()) {
      return {};
    }
    std::optional<double> fill = scalarOf(op.getOnFalse());
    bool isInverted = !fill || op.getOnTrue().getType() != op.getType();
    Value x = isInverted ? op.getOnFalse() : op.getOnTrue();
    fill = isInverted ? scalarOf(op.getOnTrue()) : fill;
    if (!fill || x.getType() != op.getType()) {
      return {};
    }
    scores_.masks.push_back({op.getCondition(),
                             llvm::to_vector(op.getType().getShape()),
                             isInverted, *fill});
    return x;
  }

  /// x in x + mask, where x leads to a product.
  Value addedTo(Operation *op) {
    if (!canMask()) {
      return {};
    }
    for (bool swapped : {false, true}) {
      auto [x, mask] = operandsOf(op, swapped);
      if (x.getType() == op->getResult(0).getType() &&
          leadsToProduct(x, op, /*depth=*/12)) {
        scores_.masks.push_back({mask, llvm::to_vector(typeOf(x).getShape())});
        return x;
      }
    }
    return {};
  }

  /// Whether the ops behind `value` may be those of scores.
  static bool leadsToProduct(Value value, Operation *reader, int depth) {
    Operation *op = value.getDefiningOp();
    if (!op || depth == 0 || !isReadOnlyBy(value, reader)) {
      return false;
    }
    if (isa<MatmulOp>(op)) {
      return true;
    }
    return isa<ReshapeOp, CastOp, TanhOp, SelectOp, AddOp, MulOp, DivOp>(op) &&
           llvm::any_of(op->getOperands(), [&](Value operand) {
             return leadsToProduct(operand, op, depth - 1);
           });
  }

  //===------------------------------------------------------------------===//

  /// Batch and heads apart say more than as one dimension.
  void see(RankedTensorType type) {
    ArrayRef<int64_t> leading = type.getShape().drop_back(2);
    if (leading.size() > scores_.leading.size()) {
      scores_.leading = llvm::to_vector(leading);
    }
  }

  std::nullopt_t fail(const char *why) {
    reason_ = why;
    return std::nullopt;
  }

  std::string &reason_;
  AttentionScores scores_;
};

} // namespace

std::optional<AttentionScores> AttentionScores::get(OpOperand &weights,
                                                    std::string &reason) {
  return ScoreWalk(reason).run(weights);
}

} // namespace minic::graph
