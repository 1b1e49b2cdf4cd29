// SPDX-License-Identifier: Apache-2.0
//
// A gather whose indices are known and stand side by side takes a slice.
// Exporters write the indexing of a mask so, as all of it.

#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>

using namespace mlir;

namespace minic::graph {

/// The first of indices that count up by one within [0, extent).
static std::optional<int64_t> firstOfRange(Value indices, int64_t extent) {
  if (!isKnown(indices)) {
    return std::nullopt;
  }
  auto elements = dyn_cast<DenseIntElementsAttr>(
      indices.getDefiningOp<ConstantOp>().getValueAttr());
  if (!elements || elements.empty()) {
    return std::nullopt;
  }
  int64_t first = (*elements.begin()).getSExtValue(), next = first;
  for (const APInt &index : elements) {
    if (index.getSExtValue() != next++) {
      return std::nullopt;
    }
  }
  // Out of range, indices are clamped.
  return first >= 0 && next <= extent ? std::optional(first) : std::nullopt;
}

namespace {

struct GatherToSlice : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = typeOf(op.getInput());
    uint64_t axis = op.getAxis();
    if (!type.hasStaticShape()) {
      return rewriter.notifyMatchFailure(op, "the input's shape is dynamic");
    }
    std::optional<int64_t> first =
        firstOfRange(op.getIndices(), type.getDimSize(axis));
    if (!first) {
      return rewriter.notifyMatchFailure(op, "no range of known indices");
    }
    SmallVector<int64_t> starts(type.getRank(), 0), ends(type.getShape()),
        steps(type.getRank(), 1);
    starts[axis] = *first;
    ends[axis] = *first + typeOf(op.getIndices()).getNumElements();
    Value slice = op.getInput();
    if (ArrayRef<int64_t>(ends) != type.getShape() || *first != 0) {
      slice =
          SliceOp::create(rewriter, op.getLoc(), slice, starts, ends, steps);
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), slice);
    return success();
  }
};

} // namespace

void populateRaiseGather(RewritePatternSet &patterns) {
  patterns.add<GatherToSlice>(patterns.getContext());
}

} // namespace minic::graph
