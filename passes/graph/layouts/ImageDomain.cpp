// SPDX-License-Identifier: Apache-2.0
//
// Orders spread from ops that state them to their neighbours.

#include "passes/graph/layouts/ImageDomain.h"

#include "passes/graph/layouts/ShufflePixels.h"
#include "passes/graph/raise/Match.h"

using namespace mlir;

namespace minic::graph {

ImageDomain::ImageDomain(Block &block) {
  for (Operation &op : block) {
    auto layout = statedLayout(&op);
    if (layout && ImageOp::get(&op)) {
      say(op.getOperand(0), *layout);
      say(op.getResult(0), *layout);
    }
  }
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (Operation *producer = value.getDefiningOp()) {
      visit(producer);
    }
    for (Operation *user : value.getUsers()) {
      visit(user);
    }
  }
}

bool ImageDomain::say(Value value, ImageLayout layout) {
  auto [known, isNew] = layouts.insert({value, layout});
  if (isNew) {
    left.push_back(value);
  }
  return known->second == layout;
}

void ImageDomain::visit(Operation *op) {
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    visitTranspose(transpose);
    return;
  }
  if (ops.contains(op) || refused.contains(op)) {
    return;
  }
  if (Value image = shuffledImage(op);
      image && layoutOf(image).value_or(ImageLayout::NCHW) ==
                   layoutOf(op->getResult(0)).value_or(ImageLayout::NCHW)) {
    say(image, ImageLayout::NCHW);
    say(op->getResult(0), ImageLayout::NCHW);
    return;
  }
  std::optional<ImageOp> image = ImageOp::get(op);
  if (!image) {
    return;
  }
  SmallVector<Value> values;
  for (unsigned number : image->images) {
    values.push_back(op->getOperand(number));
  }
  if (image->givesImage) {
    values.push_back(op->getResult(0));
  }
  std::optional<ImageLayout> layout = statedLayout(op);
  for (Value value : values) {
    layout = layout ? layout : layoutOf(value);
  }
  // An op between images of both orders is left as it is, and a norm of groups
  // of what is no channel.
  bool isBound = isa<GroupNormOp>(op) && layout == ImageLayout::NHWC;
  bool agrees = layout && !isBound && llvm::none_of(values, [&](Value value) {
                  return layoutOf(value) == otherLayout(*layout);
                });
  if (!agrees) {
    refused.insert(op);
    return;
  }
  ops.insert({op, *image});
  for (Value value : values) {
    say(value, *layout);
  }
}

void ImageDomain::visitTranspose(TransposeOp op) {
  for (ImageLayout to : {ImageLayout::NHWC, ImageLayout::NCHW}) {
    if (op.getPermutation() != permutationTo(to) || aliases.contains(op) ||
        !mayBeImage(op.getInput()) ||
        layoutOf(op.getInput()).value_or(otherLayout(to)) == to ||
        layoutOf(op.getResult()).value_or(to) != to) {
      continue;
    }
    aliases.insert(op);
    say(op.getInput(), otherLayout(to));
    say(op.getResult(), to);
  }
}

ImageLayout ImageDomain::layoutOf(const ImageOp &image) const {
  return *layoutOf(image.images.empty()
                       ? image.op->getResult(0)
                       : image.op->getOperand(image.images.front()));
}

Value ImageDomain::shuffledBy(Operation *op) const {
  Value image = shuffledImage(op);
  return image && layoutOf(image) == ImageLayout::NCHW &&
                 layoutOf(op->getResult(0)) == ImageLayout::NCHW
             ? image
             : Value();
}

/// Whether `rows` is [N, C, H * W] of an image [N, C, H, W].
static bool hasPixelsAsRows(RankedTensorType image, RankedTensorType rows) {
  return image.getRank() == 4 && rows.getRank() == 3 &&
         image.hasStaticShape() && rows.hasStaticShape() &&
         image.getShape().take_front(2) == rows.getShape().take_front(2);
}

static bool swapsRows(TransposeOp op) {
  return op && op.getPermutation() == ArrayRef<int64_t>{0, 2, 1};
}

Value ImageDomain::rowsOf(Operation *op) const {
  auto transpose = dyn_cast<TransposeOp>(op);
  if (!swapsRows(transpose)) {
    return {};
  }
  auto reshape = transpose.getInput().getDefiningOp<ReshapeOp>();
  return reshape && reshape->hasOneUse() &&
                 layoutOf(reshape.getInput()) == ImageLayout::NCHW &&
                 hasPixelsAsRows(typeOf(reshape.getInput()), reshape.getType())
             ? Value(reshape.getInput())
             : Value();
}

Value ImageDomain::rowsBehind(Operation *op) const {
  auto reshape = dyn_cast<ReshapeOp>(op);
  if (!reshape || layoutOf(reshape.getResult()) != ImageLayout::NCHW) {
    return {};
  }
  auto transpose = reshape.getInput().getDefiningOp<TransposeOp>();
  return swapsRows(transpose) &&
                 hasPixelsAsRows(reshape.getType(), transpose.getType())
             ? Value(transpose.getInput())
             : Value();
}

} // namespace minic::graph
