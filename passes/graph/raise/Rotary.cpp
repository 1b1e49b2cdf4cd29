// SPDX-License-Identifier: Apache-2.0
//
// Rotary embeddings of a last dimension that is two halves. Exporters write
// x * cos + concat(-second, first) * sin, where cos and sin repeat themselves,
// or both halves on their own. Where pairs are neighbours, as in GPT-J, they
// write the first with stack(-odd, even).

#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"

#include "dialects/graph/ConstantBytes.h"

#include "mlir/IR/IRMapping.h"

#include <cstring>

using namespace mlir;

namespace minic::graph {

//===----------------------------------------------------------------------===//
// Slices of the last dimension
//===----------------------------------------------------------------------===//

/// What `value` takes [begin, end) of, every `step`, along the last dimension
/// alone; null where it is something else.
static Value slicedLast(Value value, int64_t begin, int64_t end,
                        int64_t step = 1) {
  auto slice = value.getDefiningOp<SliceOp>();
  if (!slice) {
    return {};
  }
  ArrayRef<int64_t> whole = slice.getInput().getType().getShape();
  ArrayRef<int64_t> part = slice.getType().getShape();
  bool isLast = whole.drop_back() == part.drop_back() &&
                slice.getStarts().back() == begin &&
                slice.getEnds().back() == end &&
                slice.getSteps().back() == step;
  return isLast ? slice.getInput() : Value();
}

/// The first half of `value`, or every second element of it.
static Value sliceHalf(OpBuilder &builder, Value value, bool everySecond) {
  SmallVector<int64_t> ends(typeOf(value).getShape());
  SmallVector<int64_t> starts(ends.size()), steps(ends.size(), 1);
  if (everySecond) {
    steps.back() = 2;
  } else {
    ends.back() /= 2;
  }
  return SliceOp::create(builder, value.getLoc(), value, starts, ends, steps);
}

static bool isAlongLast(ConcatOp concat, size_t inputs) {
  return concat.getInputs().size() == inputs &&
         concat.getAxis() + 1 == uint64_t(typeOf(concat).getRank());
}

//===----------------------------------------------------------------------===//
// Values whose last dimension has each element twice
//===----------------------------------------------------------------------===//

/// Whether the rows of `constant` are pairs of the same, or else the same half
/// twice.
static bool isTwice(ConstantOp constant, bool inPairs) {
  FailureOr<ConstantBytes> bytes = ConstantBytes::get(constant.getValueAttr());
  if (failed(bytes)) {
    return false;
  }
  RankedTensorType type = typeOf(constant);
  size_t element = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  size_t step = 2 * element;
  if (!inPairs) {
    step = size_t(type.getShape().back()) * element;
  }
  const char *data = bytes->bytes().data();
  for (size_t at = 0; at < bytes->bytes().size(); at += step) {
    if (std::memcmp(data + at, data + at + step / 2, step / 2) != 0) {
      return false;
    }
  }
  return true;
}

/// The [..., n, 1] that `value`, [..., 2 n], has each element twice of, one
/// beside the other; null where it is something else.
static Value doubledInPairs(Value value) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  if (!reshape) {
    return {};
  }
  SmallVector<int64_t> pairs(typeOf(value).getShape());
  pairs.back() /= 2;
  SmallVector<int64_t> single = pairs;
  pairs.push_back(2);
  single.push_back(1);
  Value stacked = reshape.getInput(), source;
  if (typeOf(stacked).getShape() != ArrayRef(pairs)) {
    return {};
  }
  if (auto broadcast = stacked.getDefiningOp<BroadcastOp>()) {
    source = broadcast.getInput();
  } else if (auto concat = stacked.getDefiningOp<ConcatOp>();
             concat && isAlongLast(concat, 2) &&
             isSame(concat.getInputs()[0], concat.getInputs()[1])) {
    source = concat.getInputs()[0];
  }
  bool fits = source && typeOf(source).getShape() == ArrayRef(single);
  return fits ? source : Value();
}

namespace {

/// `value` without what it repeats: its second half, or the second of each pair
/// of neighbours.
class Halver {
public:
  explicit Halver(bool inPairs) : inPairs_(inPairs) {}

  /// Whether it can be halved by changing the ops that make it.
  bool canHalve(Value value, int depth = 12) const {
    Operation *op = value.getDefiningOp();
    RankedTensorType type = typeOf(value);
    if (!op || depth == 0 || type.getRank() == 0 ||
        type.getShape().back() % 2 != 0) {
      return false;
    }
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      return isKnown(constant) && isTwice(constant, inPairs_);
    }
    if (inPairs_ && doubledInPairs(value)) {
      return true;
    }
    if (auto concat = dyn_cast<ConcatOp>(op)) {
      return !inPairs_ && isAlongLast(concat, 2) &&
             isSame(concat.getInputs()[0], concat.getInputs()[1]);
    }
    std::optional<unsigned> halved = halvedOperand(op);
    return halved && canHalve(op->getOperand(*halved), depth - 1);
  }

  Value halve(OpBuilder &builder, Value value) const {
    Operation *op = value.getDefiningOp();
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape.back() /= 2;
    if (isa<ConstantOp>(op)) {
      return sliceHalf(builder, value, inPairs_);
    }
    if (Value single = inPairs_ ? doubledInPairs(value) : Value()) {
      return ReshapeOp::create(builder, value.getLoc(),
                               typeOf(value).clone(shape), single);
    }
    if (auto concat = dyn_cast<ConcatOp>(op)) {
      return concat.getInputs()[0];
    }
    unsigned halved = *halvedOperand(op);
    IRMapping mapping;
    mapping.map(op->getOperand(halved), halve(builder, op->getOperand(halved)));
    Operation *copy = builder.clone(*op, mapping);
    copy->getResult(0).setType(typeOf(value).clone(shape));
    return copy->getResult(0);
  }

private:
  /// The operand whose last dimension is that of `op`'s result, where the
  /// others, if there are any, are the same for all of it.
  static std::optional<unsigned> halvedOperand(Operation *op) {
    if (op->getNumResults() != 1) {
      return std::nullopt;
    }
    int64_t last = typeOf(op->getResult(0)).getShape().back();
    auto hasLast = [&](unsigned operand) {
      ArrayRef<int64_t> shape = typeOf(op->getOperand(operand)).getShape();
      return !shape.empty() && shape.back() == last;
    };
    if (isa<ReshapeOp, BroadcastOp, CosOp, SinOp, CastOp, NegOp>(op)) {
      return hasLast(0) ? std::optional(0u) : std::nullopt;
    }
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      int64_t rank = transpose.getType().getRank();
      return transpose.getPermutation().back() == rank - 1 ? std::optional(0u)
                                                           : std::nullopt;
    }
    if (auto gather = dyn_cast<GatherOp>(op)) {
      int64_t rank = gather.getInput().getType().getRank();
      return int64_t(gather.getAxis()) != rank - 1 ? std::optional(0u)
                                                   : std::nullopt;
    }
    if (isa<MulOp, DivOp>(op)) {
      for (unsigned operand : {0, 1}) {
        ArrayRef<int64_t> other = typeOf(op->getOperand(!operand)).getShape();
        if (hasLast(operand) && (other.empty() || other.back() == 1)) {
          return operand;
        }
      }
    }
    return std::nullopt;
  }

  bool inPairs_;
};

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Whether rotary reads `cos` and `sin` of `pairs` pairs for x, or for twice as
/// many elements where each is there twice.
bool areAngles(Value x, Value cos, Value sin, int64_t elements) {
  RankedTensorType type = typeOf(cos);
  if (type != sin.getType() || type.getRank() < 1 ||
      type.getShape().back() != elements ||
      type.getRank() > typeOf(x).getRank() ||
      type.getElementType() != typeOf(x).getElementType()) {
    return false;
  }
  ArrayRef<int64_t> rows = typeOf(x).getShape().drop_back();
  auto merged = broadcastShapes(type.getShape().drop_back(), rows);
  return succeeded(merged) && ArrayRef(*merged) == rows;
}

/// x * cos + concat(-second half, first half) * sin, or with stack(-odd, even)
/// for the concat.
struct RotateTurned : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    auto left = op.getLhs().getDefiningOp<MulOp>();
    auto right = op.getRhs().getDefiningOp<MulOp>();
    if (!left || !right) {
      return rewriter.notifyMatchFailure(op, "not a sum of two products");
    }
    for (unsigned order = 0; order < 8; ++order) {
      auto [plain, turned] = operandsOf(op, order & 1);
      auto [x, cos] = operandsOf(plain.getDefiningOp(), order & 2);
      auto [rotated, sin] = operandsOf(turned.getDefiningOp(), order & 4);
      bool inPairs = turnsPairs(rotated, x);
      Halver halver(inPairs);
      if (x.getType() == op.getType() && (inPairs || turns(rotated, x)) &&
          areAngles(x, cos, sin, typeOf(x).getShape().back()) &&
          halver.canHalve(cos) && halver.canHalve(sin)) {
        rewriter.replaceOpWithNewOp<RotaryOp>(
            op, op.getType(), x, halver.halve(rewriter, cos),
            halver.halve(rewriter, sin), /*interleaved=*/inPairs);
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no rotation of halves or pairs");
  }

private:
  /// Whether `rotated` is stack(-odd elements of x, even elements of x), pair
  /// by pair.
  static bool turnsPairs(Value rotated, Value x) {
    auto reshape = rotated.getDefiningOp<ReshapeOp>();
    auto concat =
        reshape ? reshape.getInput().getDefiningOp<ConcatOp>() : ConcatOp();
    SmallVector<int64_t> pairs(typeOf(x).getShape());
    if (!concat || !isAlongLast(concat, 2) || pairs.back() % 2 != 0) {
      return false;
    }
    int64_t size = pairs.back();
    pairs.back() = size / 2;
    pairs.push_back(2);
    if (typeOf(concat).getShape() != ArrayRef(pairs)) {
      return false;
    }
    // Each is [..., n, 1]; the minus may stand before or after that reshape.
    auto reshaped = [](Value value) {
      auto reshape = value.getDefiningOp<ReshapeOp>();
      return reshape ? Value(reshape.getInput()) : Value();
    };
    auto negated = [](Value value) {
      auto neg = value ? value.getDefiningOp<NegOp>() : NegOp();
      return neg ? Value(neg.getInput()) : Value();
    };
    Value minus = concat.getInputs()[0];
    Value odd = negated(reshaped(minus));
    if (!odd && negated(minus)) {
      odd = reshaped(negated(minus));
    }
    Value even = reshaped(concat.getInputs()[1]);
    return odd && even && isEvery(odd, x, 1) && isEvery(even, x, 0);
  }

  /// Whether `part` is every second element of x from `first` on; an end may be
  /// one less where that leaves the same.
  static bool isEvery(Value part, Value x, int64_t first) {
    int64_t size = typeOf(x).getShape().back();
    return slicedLast(part, first, size, 2) == x ||
           (first == 0 && slicedLast(part, 0, size - 1, 2) == x);
  }

  /// Whether `rotated` is concat(-second half of x, first half of x).
  static bool turns(Value rotated, Value x) {
    auto concat = rotated.getDefiningOp<ConcatOp>();
    if (!concat || !isAlongLast(concat, 2)) {
      return false;
    }
    auto second = concat.getInputs()[0].getDefiningOp<NegOp>();
    int64_t size = typeOf(x).getShape().back();
    return second && size % 2 == 0 &&
           slicedLast(second.getInput(), size / 2, size) == x &&
           slicedLast(concat.getInputs()[1], 0, size / 2) == x;
  }
};

/// A pattern of two values that are joined along the last dimension.
struct JoinPattern : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const final {
    if (!isAlongLast(op, 2)) {
      return rewriter.notifyMatchFailure(op,
                                         "not two along the last dimension");
    }
    return rewrite(op, rewriter);
  }
  virtual LogicalResult rewrite(ConcatOp op,
                                PatternRewriter &rewriter) const = 0;
};

/// concat(first * cos - second * sin, second * cos + first * sin).
struct RotateApart : JoinPattern {
  using JoinPattern::JoinPattern;

  LogicalResult rewrite(ConcatOp op, PatternRewriter &rewriter) const override {
    auto first = op.getInputs()[0].getDefiningOp<SubOp>();
    auto second = op.getInputs()[1].getDefiningOp<AddOp>();
    if (!first || !second) {
      return rewriter.notifyMatchFailure(op, "not a difference and a sum");
    }
    int64_t half = typeOf(first).getShape().back();
    for (unsigned order = 0; order < 4; ++order) {
      auto [a, cos] = factors(first.getLhs(), order & 1);
      auto [b, sin] = factors(first.getRhs(), order & 2);
      Value x = a ? slicedLast(a, 0, half) : Value();
      if (!x || !b || slicedLast(b, half, 2 * half) != x ||
          x.getType() != op.getType() || !areAngles(x, cos, sin, half)) {
        continue;
      }
      bool isSum = (isProduct(second.getLhs(), b, cos) &&
                    isProduct(second.getRhs(), a, sin)) ||
                   (isProduct(second.getLhs(), a, sin) &&
                    isProduct(second.getRhs(), b, cos));
      if (isSum) {
        rewriter.replaceOpWithNewOp<RotaryOp>(op, op.getType(), x, cos, sin,
                                              /*interleaved=*/false);
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no rotation of halves");
  }

private:
  static std::pair<Value, Value> factors(Value product, bool swapped) {
    auto mul = product.getDefiningOp<MulOp>();
    return mul ? operandsOf(mul, swapped) : std::pair<Value, Value>();
  }
  static bool isProduct(Value product, Value x, Value y) {
    auto mul = product.getDefiningOp<MulOp>();
    return mul && ((mul.getLhs() == x && mul.getRhs() == y) ||
                   (mul.getLhs() == y && mul.getRhs() == x));
  }
};

/// concat(rotary(first elements), the rest): rotary leaves the rest as it is.
struct RotateSome : JoinPattern {
  using JoinPattern::JoinPattern;

  LogicalResult rewrite(ConcatOp op, PatternRewriter &rewriter) const override {
    auto rotary = op.getInputs()[0].getDefiningOp<RotaryOp>();
    int64_t size = op.getType().getShape().back();
    int64_t rotated = rotary ? rotary.getType().getShape().back() : 0;
    // Rotated elements that are followed by others are pairs, all of them.
    if (!rotary || 2 * typeOf(rotary.getCos()).getShape().back() != rotated) {
      return rewriter.notifyMatchFailure(op, "not a rotary embedding in front");
    }
    Value x = slicedLast(rotary.getInput(), 0, rotated);
    if (!x || slicedLast(op.getInputs()[1], rotated, size) != x ||
        x.getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "not of one tensor");
    }
    rewriter.replaceOpWithNewOp<RotaryOp>(op, op.getType(), x, rotary.getCos(),
                                          rotary.getSin(),
                                          rotary.getInterleaved());
    return success();
  }
};

} // namespace

void populateRaiseRotary(RewritePatternSet &patterns) {
  patterns.add<RotateTurned, RotateApart, RotateSome>(patterns.getContext());
}

} // namespace minic::graph
