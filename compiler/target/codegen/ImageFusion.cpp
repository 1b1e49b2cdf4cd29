// SPDX-License-Identifier: Apache-2.0
//
// Splits a body at its one op on images.

#include "compiler/target/codegen/ImageFusion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace minic {

using graph::ImageLayout;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

LogicalResult setPointwiseShape(kernel::FusionShape &shape,
                                kernel::FusionOp fusion, ValueRange results,
                                Operation *anchor, std::string &reason) {
  shape.anchor = anchor;
  llvm::append_range(shape.results, results);
  llvm::append_range(shape.space, typeOf(results[0]).getShape());
  llvm::SmallPtrSet<Operation *, 8> needed;
  llvm::SetVector<Value> inputs;
  SmallVector<Value> open(results);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op) {
      inputs.insert(value);
    } else if (op != anchor && needed.insert(op).second) {
      llvm::append_range(open, op->getOperands());
    }
  }
  llvm::append_range(shape.epilogueInputs, inputs);
  for (Operation *op : fusion.getBodyOps()) {
    if (!needed.contains(op)) {
      continue;
    }
    if (!isa<graph::PointwiseOpInterface>(op)) {
      reason = (op->getName().getStringRef() + " beside an image").str();
      return failure();
    }
    shape.epilogue.push_back(op);
  }
  for (Value result : results) {
    if (typeOf(result).getShape() != ArrayRef<int64_t>(shape.space)) {
      reason = "a result of another shape";
      return failure();
    }
  }
  return success();
}

FailureOr<ImageFusion> ImageFusion::get(kernel::FusionOp fusion,
                                        std::string &reason) {
  ImageFusion image;
  Operation *anchor = nullptr;
  for (Operation *op : fusion.getBodyOps()) {
    if (!graph::isAnchor(op)) {
      continue;
    }
    if (anchor) {
      reason = "more than one op on images or rows";
      return failure();
    }
    anchor = op;
  }
  image.pool = dyn_cast_or_null<graph::Pool2dOp>(anchor);
  image.resize = dyn_cast_or_null<graph::ResizeOp>(anchor);
  if (!image.pool && !image.resize) {
    reason = "no pool2d or resize";
    return failure();
  }
  Value input = anchor->getOperand(0);
  if (!isa<FloatType>(typeOf(input).getElementType())) {
    reason = "an image of integers";
    return failure();
  }
  for (Operation *op : fusion.getBodyOps()) {
    for (Value value :
         llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                             SmallVector<Value>(op->getResults()))) {
      if (!typeOf(value).hasStaticShape()) {
        reason = "dynamic shapes are unsupported";
        return failure();
      }
      if (typeOf(value).getNumElements() == 0) {
        reason = "no elements";
        return failure();
      }
    }
  }
  ValueRange results = fusion.getYield().getValues();
  if (results.empty() || llvm::any_of(results, llvm::IsaPred<BlockArgument>)) {
    reason = "a result that is an operand of the fusion";
    return failure();
  }
  if (failed(setPointwiseShape(image.before, fusion, input, nullptr, reason)) ||
      failed(setPointwiseShape(image.after, fusion, results, anchor, reason))) {
    return failure();
  }
  if (ArrayRef<int64_t>(image.after.space) !=
      typeOf(anchor->getResult(0)).getShape()) {
    reason = "a result of another shape";
    return failure();
  }
  return image;
}

ImageLayout ImageFusion::layout() const {
  // Accessors of ops are not const.
  return pool ? graph::Pool2dOp(pool).getLayout()
              : graph::ResizeOp(resize).getLayout();
}

bool ImageFusion::isMax() const {
  return graph::Pool2dOp(pool).getKind() == graph::PoolKind::Max;
}

bool ImageFusion::isAverage() const {
  return pool && graph::Pool2dOp(pool).getKind() == graph::PoolKind::Average;
}

bool ImageFusion::countsPads() const {
  return graph::Pool2dOp(pool).getCountPads();
}

graph::WindowLine ImageFusion::window(unsigned side) const {
  return graph::Pool2dOp(pool).getLine(side);
}

graph::ResizeLine ImageFusion::line(unsigned side) const {
  return graph::ResizeOp(resize).getLine(side);
}

bool ImageFusion::isNearest() const {
  return resize &&
         graph::ResizeOp(resize).getMode() == graph::ResizeMode::Nearest;
}

int64_t ImageFusion::widthFactor(int64_t lanes) const {
  if (!resize ||
      graph::ResizeOp(resize).getRule() == graph::ResizeRule::AlignCorners) {
    return 0;
  }
  graph::ResizeLine width = line(1);
  int64_t factor = width.outputs / width.inputs;
  bool isFit = factor > 1 && factor * width.inputs == width.outputs &&
               lanes % factor == 0;
  return isFit ? factor : 0;
}

int64_t ImageFusion::units() const {
  return llvm::product_of(ArrayRef(after.space).drop_back());
}

} // namespace minic
