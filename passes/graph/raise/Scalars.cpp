// SPDX-License-Identifier: Apache-2.0
//
// A constant of one element is a scalar, of rank 0, where pointwise ops read
// it: exporters write the same number with one dimension or several.

#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace minic::graph {

/// Whether `op` has its result's shape without the dimensions of operand `i`.
static bool keepsShape(Operation *op, unsigned i) {
  SmallVector<int64_t> shape;
  for (auto [other, operand] : llvm::enumerate(op->getOperands())) {
    if (other == i) {
      continue;
    }
    auto both = broadcastShapes(shape, typeOf(operand).getShape());
    if (failed(both)) {
      return false;
    }
    shape = std::move(*both);
  }
  return typeOf(op->getResult(0)).getShape() == ArrayRef(shape);
}

namespace {

struct ScalarOperands : OpInterfaceRewritePattern<PointwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(PointwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand &operand : op->getOpOperands()) {
      RankedTensorType type = typeOf(operand.get());
      if (type.getRank() == 0 || !type.hasStaticShape() ||
          type.getNumElements() != 1 || !isKnown(operand.get()) ||
          !keepsShape(op, operand.getOperandNumber())) {
        continue;
      }
      std::optional<double> number = scalarOf(operand.get());
      if (!number) {
        continue;
      }
      Type dtype = type.getElementType();
      Attribute element = isa<FloatType>(dtype)
                              ? Attribute(rewriter.getFloatAttr(dtype, *number))
                              : rewriter.getIntegerAttr(dtype, *number);
      auto scalar =
          ConstantOp::create(rewriter, operand.get().getLoc(),
                             cast<ElementsAttr>(DenseElementsAttr::get(
                                 type.clone(ArrayRef<int64_t>()), element)));
      rewriter.modifyOpInPlace(op, [&] { operand.set(scalar); });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no constant of one element");
  }
};

} // namespace

void populateRaiseScalars(RewritePatternSet &patterns) {
  patterns.add<ScalarOperands>(patterns.getContext());
}

} // namespace minic::graph
