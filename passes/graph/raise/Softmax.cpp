// SPDX-License-Identifier: Apache-2.0
//
// softmax and log_softmax of their arithmetic. The greatest element has to be
// subtracted: without that an exponential may overflow, which softmax may not.

#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"
#include "passes/graph/raise/Rows.h"

using namespace mlir;

namespace minic::graph {

/// The x and axis of x - max(x).
static std::optional<RowReduction> shiftedOf(Value value) {
  auto difference = value.getDefiningOp<SubOp>();
  auto greatest = difference
                      ? rowReductionOf(difference.getRhs(), ReduceKind::Max)
                      : std::nullopt;
  bool isShifted = greatest && isSame(greatest->input, difference.getLhs()) &&
                   difference.getType() == greatest->input.getType();
  return isShifted
             ? std::optional(RowReduction{difference.getLhs(), greatest->axis})
             : std::nullopt;
}

/// The x and axis of sum(exp(x - max(x))).
static std::optional<RowReduction> sumOfExponentials(Value value) {
  auto sum = rowReductionOf(value, ReduceKind::Sum);
  auto exponential = sum ? sum->input.getDefiningOp<ExpOp>() : ExpOp();
  auto shifted = exponential ? shiftedOf(exponential.getInput()) : std::nullopt;
  return shifted && shifted->axis == sum->axis ? shifted : std::nullopt;
}

static bool areOne(const std::optional<RowReduction> &a,
                   const std::optional<RowReduction> &b) {
  return a && b && a->axis == b->axis && isSame(a->input, b->input);
}

namespace {

/// exp(x - max) / sum, or times 1 / sum.
template <typename RootOp> struct RaiseSoftmax : OpRewritePattern<RootOp> {
  using OpRewritePattern<RootOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(RootOp op,
                                PatternRewriter &rewriter) const override {
    constexpr bool isQuotient = std::is_same_v<RootOp, DivOp>;
    for (bool swapped : {false, true}) {
      auto [dividend, divisor] = operandsOf(op, swapped);
      if (isQuotient && swapped) {
        break;
      }
      if (!isQuotient) {
        auto inverse = divisor.template getDefiningOp<DivOp>();
        if (!inverse || scalarOf(inverse.getLhs()) != 1.0) {
          continue;
        }
        divisor = inverse.getRhs();
      }
      auto exponential = dividend.template getDefiningOp<ExpOp>();
      auto shifted =
          exponential ? shiftedOf(exponential.getInput()) : std::nullopt;
      if (areOne(shifted, sumOfExponentials(divisor)) &&
          shifted->input.getType() == op.getType()) {
        rewriter.replaceOpWithNewOp<SoftmaxOp>(op, op.getType(), shifted->input,
                                               shifted->axis);
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "not exp(x - max) / sum");
  }
};

/// x - max - log(sum), or x - (max + log(sum)).
struct RaiseLogSoftmax : OpRewritePattern<SubOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SubOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getLhs();
    std::optional<RowReduction> sum = logOfSum(op.getRhs()), shifted;
    if (sum) {
      shifted = shiftedOf(x);
    } else if (auto both = op.getRhs().getDefiningOp<AddOp>()) {
      for (bool swapped : {false, true}) {
        auto [greatest, log] = operandsOf(both, swapped);
        sum = sum ? sum : logOfSum(log);
        shifted = shifted ? shifted : rowReductionOf(greatest, ReduceKind::Max);
      }
      if (shifted && !isSame(shifted->input, x)) {
        shifted = std::nullopt;
      }
    }
    if (!areOne(shifted, sum) || shifted->input.getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "not x - max - log(sum)");
    }
    rewriter.replaceOpWithNewOp<LogSoftmaxOp>(op, op.getType(), shifted->input,
                                              shifted->axis);
    return success();
  }

private:
  static std::optional<RowReduction> logOfSum(Value value) {
    auto log = value.getDefiningOp<LogOp>();
    return log ? sumOfExponentials(log.getInput()) : std::nullopt;
  }
};

/// log(softmax(x))
struct LogOfSoftmax : OpRewritePattern<LogOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LogOp op,
                                PatternRewriter &rewriter) const override {
    auto softmax = op.getInput().getDefiningOp<SoftmaxOp>();
    if (!softmax) {
      return rewriter.notifyMatchFailure(op, "not of a softmax");
    }
    rewriter.replaceOpWithNewOp<LogSoftmaxOp>(
        op, op.getType(), softmax.getInput(), softmax.getAxis());
    return success();
  }
};

} // namespace

void populateRaiseSoftmax(RewritePatternSet &patterns) {
  patterns.add<RaiseSoftmax<DivOp>, RaiseSoftmax<MulOp>, RaiseLogSoftmax,
               LogOfSoftmax>(patterns.getContext());
}

} // namespace minic::graph
