// SPDX-License-Identifier: Apache-2.0
//
// Each step backwards keeps the matrices of the last two dimensions whole, so
// that the dimensions in front may be split, merged and repeated in any order.

#include "passes/graph/raise/AttentionOperand.h"

#include "passes/graph/raise/Match.h"

using namespace mlir;

namespace minic::graph {

namespace {

/// One step backwards for each kind of op; false where there is none.
struct Steps {
  AttentionOperand operand;
  AttentionOperand::Through through;

  bool takeAny() {
    Operation *op = operand.value.getDefiningOp();
    if (auto reshape = dyn_cast_or_null<ReshapeOp>(op)) {
      return take(reshape);
    }
    if (auto transpose = dyn_cast_or_null<TransposeOp>(op)) {
      return take(transpose);
    }
    if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op)) {
      return through.repeats && take(broadcast);
    }
    if (auto cast = dyn_cast_or_null<CastOp>(op)) {
      return through.widening && take(cast);
    }
    return through.factors && isa_and_present<MulOp, DivOp>(op) &&
           takeFactor(op);
  }

private:
  bool take(ReshapeOp op) {
    ArrayRef<int64_t> from = typeOf(op.getInput()).getShape();
    ArrayRef<int64_t> to = op.getType().getShape();
    if (from.size() < 2 || to.size() < 2) {
      return false;
    }
    ArrayRef<int64_t> before = from.take_back(2), after = to.take_back(2);
    // A transpose of a vector is a reshape.
    bool isTranspose = before[0] == after[1] && before[1] == after[0] &&
                       (before[0] == 1 || before[1] == 1);
    if (before != after && !isTranspose) {
      return false;
    }
    operand.isSwapped ^= before != after;
    operand.value = op.getInput();
    return true;
  }

  bool take(TransposeOp op) {
    ArrayRef<int64_t> permutation = op.getPermutation();
    int64_t rank = int64_t(permutation.size());
    bool keepsLeading = rank >= 2 &&
                        llvm::equal(permutation.drop_back(2),
                                    llvm::seq<int64_t>(0, rank - 2)) &&
                        permutation[rank - 1] == rank - 2;
    if (!keepsLeading) {
      return false;
    }
    operand.isSwapped = !operand.isSwapped;
    operand.value = op.getInput();
    return true;
  }

  /// [..., 1, rows, columns] to [..., n, rows, columns].
  bool take(BroadcastOp op) {
    ArrayRef<int64_t> from = typeOf(op.getInput()).getShape();
    ArrayRef<int64_t> to = op.getType().getShape();
    if (from.size() != to.size() || to.size() < 3) {
      return false;
    }
    size_t repeated = to.size() - 3;
    if (from[repeated] != 1 ||
        from.take_front(repeated) != to.take_front(repeated) ||
        from.take_back(2) != to.take_back(2)) {
      return false;
    }
    operand.repeats *= to[repeated];
    operand.value = op.getInput();
    return true;
  }

  bool take(CastOp op) {
    auto from = dyn_cast<FloatType>(typeOf(op.getInput()).getElementType());
    if (!from || from.getWidth() != 16 ||
        !op.getType().getElementType().isF32()) {
      return false;
    }
    operand.value = op.getInput();
    return true;
  }

  bool takeFactor(Operation *op) {
    for (bool swapped : {false, true}) {
      auto [x, constant] = operandsOf(op, swapped);
      std::optional<double> factor = scalarOf(constant);
      if (!factor || x.getType() != op->getResult(0).getType() ||
          (swapped && isa<DivOp>(op)) || *factor == 0) {
        continue;
      }
      operand.factor *= isa<DivOp>(op) ? 1 / *factor : *factor;
      operand.value = x;
      return true;
    }
    return false;
  }
};

} // namespace

AttentionOperand AttentionOperand::get(Value value, bool isSwapped,
                                       Through through) {
  Steps steps{{value, isSwapped}, through};
  while (steps.takeAny()) {
  }
  return steps.operand;
}

int64_t AttentionOperand::leadingElements() const {
  return llvm::product_of(typeOf(value).getShape().drop_back(2));
}

Value AttentionOperand::asHeads(OpBuilder &builder, Location loc, int64_t batch,
                                int64_t heads) const {
  Value result = value;
  // Before the reshape: it becomes one with a transpose that made `value`.
  if (isSwapped) {
    auto permutation =
        llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
    std::swap(permutation.back(), permutation[permutation.size() - 2]);
    result = TransposeOp::create(builder, loc, result, permutation);
  }
  ArrayRef<int64_t> matrix = typeOf(result).getShape().take_back(2);
  RankedTensorType type =
      typeOf(result).clone({batch, heads, matrix[0], matrix[1]});
  return result.getType() == type
             ? result
             : ReshapeOp::create(builder, loc, type, result);
}

} // namespace minic::graph
