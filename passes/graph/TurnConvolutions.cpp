// SPDX-License-Identifier: Apache-2.0
//
// graph-turn-convolutions: a transposed convolution by a constant filter
// becomes a convolution. Where it strides, each of its phases, the results that
// lie a stride apart, is a convolution of its own by every stride-th tap. One
// convolution computes all phases as channels, which are then interleaved.

#include "passes/graph/Passes.h"

#include "dialects/graph/Graph.h"
#include "passes/graph/raise/Match.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/STLExtras.h"

namespace minic::graph {
#define GEN_PASS_DEF_TURNCONVOLUTIONS
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;
using namespace minic::graph;

namespace {

/// The convolution that computes all phases of one dimension.
struct PhaseLine {
  int64_t phases, taps, dilation;
  int64_t before, after; ///< pads
  int64_t first;         ///< results that are left out before the first
  int64_t outputs;

  /// `filter` taps `dilation` apart; pads may be left out of the result.
  static PhaseLine get(int64_t input, int64_t filter, int64_t stride,
                       int64_t dilation, int64_t padBefore, int64_t outputs) {
    // Without a stride there is one phase, whose taps may be apart.
    int64_t taps = llvm::divideCeil(filter, stride);
    int64_t reach = (taps - 1) * dilation;
    // Groups of `stride` results before the first wanted one are not computed,
    // as far as pads make them.
    int64_t skipped = std::min(padBefore / stride, reach);
    int64_t groups = llvm::divideCeil(padBefore + outputs, stride);
    return {.phases = stride,
            .taps = taps,
            .dilation = dilation,
            .before = reach - skipped,
            .after = std::max<int64_t>(groups - input, 0),
            .first = padBefore - skipped * stride,
            .outputs = outputs};
  }
};

class Turning {
public:
  Turning(PatternRewriter &rewriter, ConvTranspose2dOp op)
      : b(rewriter), op(op), g(op.getGeometry()) {}

  Value run() {
    // Taps apart and a stride at once: zeros between the taps.
    int64_t dilations[] = {g.dilationHeight, g.dilationWidth};
    int64_t strides[] = {g.strideHeight, g.strideWidth};
    Value filter = op.getFilter();
    for (int64_t side : {0, 1}) {
      if (strides[side] > 1 && dilations[side] > 1) {
        filter = spreadTaps(filter, 2 + side, dilations[side]);
        dilations[side] = 1;
      }
    }
    ArrayRef<int64_t> extents = typeOf(filter).getShape();
    PhaseLine rows = PhaseLine::get(g.outputHeight, extents[2], strides[0],
                                    dilations[0], g.padTop, g.inputHeight);
    PhaseLine columns = PhaseLine::get(g.outputWidth, extents[3], strides[1],
                                       dilations[1], g.padLeft, g.inputWidth);
    int64_t phases = rows.phases * columns.phases;
    filter = turnFilter(filter, rows, columns);
    Value bias = op.getBias() ? repeat(op.getBias(), phases) : Value();
    int64_t pads[] = {rows.before, columns.before, rows.after, columns.after};
    int64_t apart[] = {rows.dilation, columns.dilation};
    Value conv = Conv2dOp::create(b, op.getLoc(), op.getInput(), filter, bias,
                                  ArrayRef<int64_t>{1, 1}, pads, apart,
                                  uint64_t(g.groups), g.layout);
    return crop(interleave(conv, rows, columns), rows, columns);
  }

private:
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return typeOf(value).getShape() == shape
               ? value
               : ReshapeOp::create(b, op.getLoc(), typeOf(value).clone(shape),
                                   value);
  }
  Value transpose(Value value, ArrayRef<int64_t> permutation) {
    return TransposeOp::create(b, op.getLoc(), value, permutation);
  }
  Value pad(Value value, size_t axis, int64_t after) {
    if (after == 0) {
      return value;
    }
    SmallVector<int64_t> none(typeOf(value).getRank(), 0), some(none);
    some[axis] = after;
    return PadOp::create(b, op.getLoc(), value, none, some, APFloat(0.0),
                         PadMode::Constant);
  }
  Value slice(Value value, ArrayRef<int64_t> starts, ArrayRef<int64_t> ends) {
    SmallVector<int64_t> steps(starts.size(), 1);
    return SliceOp::create(b, op.getLoc(), value, starts, ends, steps);
  }
  Value reverse(Value value, int64_t axis) {
    int64_t extent = typeOf(value).getShape()[axis];
    if (extent == 1) {
      return value;
    }
    auto type = RankedTensorType::get(extent, b.getI64Type());
    SmallVector<int64_t> order;
    for (int64_t i = extent; i-- > 0;) {
      order.push_back(i);
    }
    Value indices =
        ConstantOp::create(b, op.getLoc(), type, /*source=*/FlatSymbolRefAttr(),
                           DenseElementsAttr::get(type, ArrayRef(order)));
    return GatherOp::create(b, op.getLoc(), value, indices, uint64_t(axis));
  }

  /// Zeros between the elements along `axis`.
  Value spreadTaps(Value filter, size_t axis, int64_t dilation) {
    SmallVector<int64_t> shape(typeOf(filter).getShape());
    SmallVector<int64_t> split(shape), merged(shape), starts(shape.size(), 0);
    split.insert(split.begin() + axis + 1, 1);
    merged[axis] *= dilation;
    Value wide = pad(reshape(filter, split), axis + 1, dilation - 1);
    SmallVector<int64_t> ends(merged);
    ends[axis] -= dilation - 1;
    return slice(reshape(wide, merged), starts, ends);
  }

  /// Phases are the fastest of the result's channels, or the slowest where
  /// channels are the last dimension and there are no groups: interleaving
  /// then moves whole pixels.
  bool phasesAreSlowest() const {
    return g.layout == ImageLayout::NHWC && g.groups == 1;
  }

  /// [C, K / groups, R, S] as [phases and K, C / groups, taps, taps].
  Value turnFilter(Value filter, const PhaseLine &rows,
                   const PhaseLine &columns) {
    int64_t c = g.outputChannelsPerGroup(), k = g.inputChannelsPerGroup();
    ArrayRef<int64_t> extents = typeOf(filter).getShape();
    filter = pad(filter, 2, rows.taps * rows.phases - extents[2]);
    filter = pad(filter, 3, columns.taps * columns.phases - extents[3]);
    filter = reshape(filter, {g.groups, c, k, rows.taps, rows.phases,
                              columns.taps, columns.phases});
    filter = reverse(reverse(filter, 3), 5);
    // groups c k taps phases taps phases
    filter = phasesAreSlowest() ? transpose(filter, {0, 4, 6, 2, 1, 3, 5})
                                : transpose(filter, {0, 2, 4, 6, 1, 3, 5});
    return reshape(filter, {g.groups * k * rows.phases * columns.phases, c,
                            rows.taps, columns.taps});
  }

  /// One bias for each phase of a channel.
  Value repeat(Value bias, int64_t phases) {
    if (phases == 1) {
      return bias;
    }
    int64_t k = g.inputChannels;
    bool isOuter = phasesAreSlowest();
    auto type = typeOf(bias);
    Value line = reshape(bias, isOuter ? ArrayRef<int64_t>{1, k}
                                       : ArrayRef<int64_t>{k, 1});
    Value wide =
        BroadcastOp::create(b, op.getLoc(),
                            type.clone(isOuter ? ArrayRef<int64_t>{phases, k}
                                               : ArrayRef<int64_t>{k, phases}),
                            line);
    return reshape(wide, {k * phases});
  }

  Value interleave(Value conv, const PhaseLine &rows,
                   const PhaseLine &columns) {
    if (rows.phases * columns.phases == 1) {
      return conv;
    }
    bool isNhwc = g.layout == ImageLayout::NHWC;
    ArrayRef<int64_t> shape = typeOf(conv).getShape();
    int64_t n = g.batch, k = g.inputChannels, p = rows.phases,
            q = columns.phases;
    int64_t h = shape[isNhwc ? 1 : 2], w = shape[isNhwc ? 2 : 3];
    if (!isNhwc) {
      Value apart = reshape(conv, {n, k, p, q, h, w});
      return reshape(transpose(apart, {0, 1, 4, 2, 5, 3}),
                     {n, k, h * p, w * q});
    }
    Value apart =
        phasesAreSlowest()
            ? transpose(reshape(conv, {n, h, w, p, q, k}), {0, 1, 3, 2, 4, 5})
            : transpose(reshape(conv, {n, h, w, k, p, q}), {0, 1, 4, 2, 5, 3});
    return reshape(apart, {n, h * p, w * q, k});
  }

  /// The result, without what pads leave out.
  Value crop(Value value, const PhaseLine &rows, const PhaseLine &columns) {
    ArrayRef<int64_t> wanted = op.getType().getShape();
    if (typeOf(value).getShape() == wanted) {
      return value;
    }
    size_t height = g.layout == ImageLayout::NHWC ? 1 : 2;
    SmallVector<int64_t> starts(4, 0), ends(wanted);
    starts[height] = rows.first;
    ends[height] = rows.first + rows.outputs;
    starts[height + 1] = columns.first;
    ends[height + 1] = columns.first + columns.outputs;
    return slice(value, starts, ends);
  }

  PatternRewriter &b;
  ConvTranspose2dOp op;
  Conv2dGeometry g;
};

struct TurnConvolution : OpRewritePattern<ConvTranspose2dOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvTranspose2dOp op,
                                PatternRewriter &rewriter) const override {
    if (!isKnown(op.getFilter())) {
      return rewriter.notifyMatchFailure(op, "the filter is no constant");
    }
    if (!op.getInput().getType().hasStaticShape()) {
      return rewriter.notifyMatchFailure(op, "dynamic shapes");
    }
    rewriter.replaceOp(op, Turning(rewriter, op).run());
    return success();
  }
};

struct TurnConvolutions : graph::impl::TurnConvolutionsBase<TurnConvolutions> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<TurnConvolution>(&getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace
