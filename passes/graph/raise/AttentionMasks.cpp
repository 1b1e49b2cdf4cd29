// SPDX-License-Identifier: Apache-2.0
//
// Masks stay operands of the smallest shape that broadcasts.

#include "passes/graph/raise/AttentionMasks.h"

#include "passes/graph/raise/Finite.h"
#include "passes/graph/raise/KnownMask.h"
#include "passes/graph/raise/Match.h"

#include <cmath>

using namespace mlir;

namespace minic::graph {

//===----------------------------------------------------------------------===//
// Rows without keys
//===----------------------------------------------------------------------===//

static bool hasKeyInEachRow(const ScoreMask &mask) {
  std::optional<KnownMask> known = KnownMask::get(mask.value);
  if (known && mask.isInverted) {
    known = known->asBool();
  }
  return known && known->hasKeyInEachRow();
}

/// Whether a row of scores may be -infinity throughout.
static bool mayLeaveOutAll(ArrayRef<ScoreMask> masks) {
  bool leavesOut = false;
  for (const ScoreMask &mask : masks) {
    if (mask.isBool() ? std::isfinite(mask.fill)
                      : isProvablyFinite(mask.value)) {
      continue;
    }
    // Two that leave out keys may leave out all of them.
    if (leavesOut || !hasKeyInEachRow(mask)) {
      return true;
    }
    leavesOut = true;
  }
  return false;
}

/// `mask`, or the condition of which it is 0 or the lowest f32: beside a guard,
/// exporters write so which keys take part.
static ScoreMask withoutFill(ScoreMask mask) {
  auto select = withoutBroadcast(mask.value).getDefiningOp<SelectOp>();
  if (mask.isBool() || !select) {
    return mask;
  }
  std::optional<double> onTrue = scalarOf(select.getOnTrue());
  std::optional<double> onFalse = scalarOf(select.getOnFalse());
  bool isKept = onTrue == 0.0 && onFalse && *onFalse <= lowestScore;
  bool isLeftOut = onFalse == 0.0 && onTrue && *onTrue <= lowestScore;
  if (isKept || isLeftOut) {
    return {select.getCondition(), mask.scores, isLeftOut, -INFINITY};
  }
  return mask;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

namespace {

/// A mask is broadcast to the first of these, then reshaped to the second.
struct MaskShapes {
  SmallVector<int64_t> repeated, reshaped;
};

} // namespace

/// How `mask`, which broadcasts to `scores`, becomes one that broadcasts to
/// [batch, heads, rows, keys]; none where heads and batch are mixed.
static std::optional<MaskShapes>
withHeads(ArrayRef<int64_t> mask, ArrayRef<int64_t> scores, HeadShape heads) {
  MaskShapes shapes{llvm::to_vector(mask), llvm::to_vector(mask)};
  bool isSame = scores.size() == 4 && scores[0] == heads.batch &&
                scores[1] == heads.heads;
  if (mask.size() <= 2 || isSame) {
    return shapes;
  }
  ArrayRef<int64_t> leading = mask.drop_back(2), matrix = mask.take_back(2);
  ArrayRef<int64_t> whole = scores.drop_back(2);
  int64_t count = llvm::product_of(leading);
  HeadShape own;
  if (leading == whole && count == heads.product()) {
    own = heads;
  } else if (count != 1) {
    own = {count / leading.back(), leading.back()};
    if (whole.back() != heads.heads) {
      return std::nullopt;
    }
    // Batch is several dimensions, of which the mask has some.
    if (own.batch != 1 && own.batch != heads.batch) {
      own.batch = heads.batch;
      shapes.repeated = llvm::to_vector(whole);
      shapes.repeated.back() = own.heads;
      llvm::append_range(shapes.repeated, matrix);
    }
  }
  shapes.reshaped = {own.batch, own.heads, matrix[0], matrix[1]};
  return shapes;
}

//===----------------------------------------------------------------------===//
// AttentionMasks
//===----------------------------------------------------------------------===//

std::optional<AttentionMasks> AttentionMasks::get(const AttentionScores &scores,
                                                  HeadShape heads,
                                                  std::string &reason) {
  if (!scores.isGuarded && mayLeaveOutAll(scores.masks)) {
    reason = "a query may have no keys: its result is NaN, attention's is 0";
    return std::nullopt;
  }
  AttentionMasks masks;
  for (const ScoreMask &written : llvm::reverse(scores.masks)) {
    ScoreMask mask = scores.isGuarded ? withoutFill(written) : written;
    Part part{withoutBroadcast(mask.value), {}, {}, mask.isInverted, {}};
    auto shapes = withHeads(typeOf(part.value).getShape(), mask.scores, heads);
    if (!shapes) {
      reason = "a mask that does not broadcast to batch and heads";
      return std::nullopt;
    }
    part.repeated = shapes->repeated;
    part.shape = shapes->reshaped;
    bool leavesOut =
        mask.fill == -INFINITY || (mask.fill <= lowestScore &&
                                   (scores.isGuarded || hasKeyInEachRow(mask)));
    if (mask.isBool() && !leavesOut) {
      // Added to a score, the lowest f32 leaves nothing of it.
      if (!(mask.fill <= lowestScore)) {
        reason = "scores that are replaced by a number";
        return std::nullopt;
      }
      part.fill = mask.fill;
    }
    masks.parts_.push_back(part);
  }
  return masks;
}

namespace {

struct MaskBuilder {
  OpBuilder &b;
  Location loc;

  Value scalar(Type dtype, double number) {
    auto type = RankedTensorType::get({}, dtype);
    return ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getFloatAttr(dtype, number)));
  }
  /// `onTrue` where `condition` holds, else `fill`.
  Value select(Value condition, Value onTrue, double fill) {
    RankedTensorType type = typeOf(onTrue);
    auto shape = broadcastShapes(typeOf(condition).getShape(), type.getShape());
    return SelectOp::create(b, loc, type.clone(*shape), condition, onTrue,
                            scalar(type.getElementType(), fill));
  }
  Value join(Value x, Value y) {
    if (!x || !y) {
      return x ? x : y;
    }
    return typeOf(x).getElementType().isInteger(1)
               ? AndOp::create(b, loc, x, y).getResult()
               : AddOp::create(b, loc, x, y).getResult();
  }
};

} // namespace

Value AttentionMasks::build(OpBuilder &builder, Location loc) const {
  MaskBuilder make{builder, loc};
  Value takesPart, added;
  for (const Part &part : parts_) {
    Value value = part.value;
    if (typeOf(value).getShape() != ArrayRef(part.repeated)) {
      value = BroadcastOp::create(builder, loc,
                                  typeOf(value).clone(part.repeated), value);
    }
    if (typeOf(value).getShape() != ArrayRef(part.shape)) {
      value = ReshapeOp::create(builder, loc, typeOf(value).clone(part.shape),
                                value);
    }
    if (part.isInverted) {
      value = NotOp::create(builder, loc, value.getType(), value);
    }
    bool leavesOut = typeOf(value).getElementType().isInteger(1) && !part.fill;
    if (part.fill) {
      Type dtype =
          added ? typeOf(added).getElementType() : Type(builder.getF32Type());
      value = make.select(value, make.scalar(dtype, 0), *part.fill);
    }
    (leavesOut ? takesPart : added) =
        make.join(leavesOut ? takesPart : added, value);
  }
  return added && takesPart ? make.select(takesPart, added, -INFINITY)
         : added            ? added
                            : takesPart;
}

} // namespace minic::graph
