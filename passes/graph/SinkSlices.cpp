// SPDX-License-Identifier: Apache-2.0
//
// graph-sink-slices: a slice moves behind the reshape that reads it, where that
// takes whole blocks of the reshaped tensor. There a transpose, attention or a
// pointwise op finds it and reads it as strides; in front of a reshape, which
// is a view of dense memory, it is a copy.

#include "passes/graph/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace minic::graph {
#define GEN_PASS_DEF_SINKSLICES
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;
using namespace minic::graph;

/// The one dimension of which `slice` takes a part without steps; none if there
/// are several or steps.
static std::optional<int64_t> getSlicedDim(SliceOp slice) {
  std::optional<int64_t> dim;
  ArrayRef<int64_t> whole = slice.getInput().getType().getShape();
  for (int64_t d = 0; d < int64_t(whole.size()); ++d) {
    if (slice.getSteps()[d] != 1 && slice.getType().getDimSize(d) > 1) {
      return std::nullopt;
    }
    if (slice.getType().getDimSize(d) == whole[d]) {
      continue;
    }
    if (dim) {
      return std::nullopt;
    }
    dim = d;
  }
  return dim;
}

/// The dimension of `shape` in front of which `outer` elements are and that
/// begins the blocks of `block` elements; none where dimensions straddle it.
static std::optional<size_t> findDim(ArrayRef<int64_t> shape, int64_t outer,
                                     int64_t block) {
  int64_t before = 1;
  for (auto [d, extent] : llvm::enumerate(shape)) {
    // An extent of 1 has nothing to take a part of.
    if (before == outer && (extent != 1 || block == 1)) {
      return block % extent == 0 ? std::optional(d) : std::nullopt;
    }
    before *= extent;
  }
  return std::nullopt;
}

namespace {

/// reshape(slice(x)) becomes slice(reshape(x)).
struct SinkBelowReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto slice = op.getInput().getDefiningOp<SliceOp>();
    if (!slice || !slice->hasOneUse()) {
      return rewriter.notifyMatchFailure(op, "not the only use of a slice");
    }
    auto input = slice.getInput().getType();
    auto result = op.getType();
    if (!input.hasStaticShape() || !result.hasStaticShape()) {
      return rewriter.notifyMatchFailure(op, "a dynamic shape");
    }
    if (graph::isView(slice)) {
      return rewriter.notifyMatchFailure(op, "the slice is a view");
    }
    std::optional<int64_t> sliced = getSlicedDim(slice);
    if (!sliced) {
      return rewriter.notifyMatchFailure(
          op, "it takes parts of several dimensions, or steps");
    }
    // In elements of the slice: what is before the sliced dimension, and what
    // each index of that is.
    ArrayRef<int64_t> shape = input.getShape();
    int64_t outer = llvm::product_of(shape.take_front(*sliced));
    int64_t inner = llvm::product_of(shape.drop_front(*sliced + 1));
    int64_t taken = slice.getType().getDimSize(*sliced) * inner;
    std::optional<size_t> dim = findDim(result.getShape(), outer, taken);
    if (!dim) {
      return rewriter.notifyMatchFailure(
          op, "a dimension of the result reaches over the sliced one");
    }
    int64_t step = taken / result.getDimSize(*dim);
    int64_t begin = slice.getStarts()[*sliced] * inner;
    int64_t whole = shape[*sliced] * inner;
    if (begin % step != 0 || whole % step != 0) {
      return rewriter.notifyMatchFailure(
          op, "it does not begin at an index of the result's dimension");
    }
    SmallVector<int64_t> dims(result.getShape());
    dims[*dim] = whole / step;
    Value reshaped = ReshapeOp::create(rewriter, op.getLoc(), input.clone(dims),
                                       slice.getInput());
    SmallVector<int64_t> starts(dims.size()), ends(dims), steps(dims.size(), 1);
    starts[*dim] = begin / step;
    ends[*dim] = starts[*dim] + result.getDimSize(*dim);
    rewriter.replaceOpWithNewOp<SliceOp>(op, result, reshaped, starts, ends,
                                         steps);
    rewriter.eraseOp(slice);
    return success();
  }
};

struct SinkSlices : graph::impl::SinkSlicesBase<SinkSlices> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SinkBelowReshape>(&getContext());
    // If the driver reaches its limit first, the module is still right.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace
