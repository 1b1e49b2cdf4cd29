// SPDX-License-Identifier: Apache-2.0
//
// Attributes that name dimensions are written for the other order.

#include "passes/graph/layouts/ImageOp.h"

#include "dialects/graph/InPlace.h"
#include "passes/graph/raise/Match.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace minic::graph {

ArrayRef<int64_t> permutationTo(ImageLayout layout) {
  static constexpr int64_t toNhwc[] = {0, 2, 3, 1}, toNchw[] = {0, 3, 1, 2};
  return layout == ImageLayout::NHWC ? toNhwc : toNchw;
}

ImageLayout otherLayout(ImageLayout layout) {
  return layout == ImageLayout::NCHW ? ImageLayout::NHWC : ImageLayout::NCHW;
}

std::optional<ImageLayout> statedLayout(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ImageLayout>>(op)
      .Case<Conv2dOp, ConvTranspose2dOp, Pool2dOp, ResizeOp>(
          [](auto image) { return image.getLayout(); })
      .Default(std::nullopt);
}

bool mayBeImage(Value value) {
  RankedTensorType type = typeOf(value);
  return type.getRank() == 4 && type.hasStaticShape() && !isKnown(value);
}

/// `shape` with leading ones up to four dimensions.
static SmallVector<int64_t> asImage(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result(4 - shape.size(), 1);
  llvm::append_range(result, shape);
  return result;
}

/// Whether a tensor that is broadcast to an image is the same bytes in both
/// orders, or known, so that its bytes are moved at compile time.
static bool followsFreely(Value value) {
  RankedTensorType type = typeOf(value);
  if (!type.hasStaticShape() || type.getRank() > 4) {
    return false;
  }
  // From NCHW is enough: what one permutation keeps in order the other does
  // too if H and W are 1, or C is.
  auto shape = asImage(type.getShape());
  return isKnown(value) ||
         (keepsElementOrder(shape, permutationTo(ImageLayout::NHWC)) &&
          keepsElementOrder(shape, permutationTo(ImageLayout::NCHW)));
}

bool isSameInBoth(Value value) { return followsFreely(value); }

/// Whether the dimensions that a reduction leaves are in one order before and
/// after either permutation.
static bool leavesOneOrder(ReduceOp op) {
  auto left = [&](ArrayRef<int64_t> order) {
    return llvm::filter_to_vector(order, [&](int64_t dim) {
      return !llvm::is_contained(op.getAxes(), dim);
    });
  };
  SmallVector<int64_t> kept = left({0, 1, 2, 3});
  return kept == left(permutationTo(ImageLayout::NHWC)) &&
         kept == left(permutationTo(ImageLayout::NCHW));
}

/// Sorts operands into images and followers; false where one is neither.
static bool sortBroadcast(ImageOp &image) {
  for (auto [i, operand] : llvm::enumerate(image.op->getOperands())) {
    if (mayBeImage(operand)) {
      image.images.push_back(unsigned(i));
    } else if (followsFreely(operand)) {
      image.followers.push_back(unsigned(i));
    } else {
      return false;
    }
  }
  return true;
}

std::optional<ImageOp> ImageOp::get(Operation *op) {
  if (op->getNumResults() != 1 || updatesInPlace(op)) {
    return std::nullopt;
  }
  ImageOp image = {op, {}, {}, /*givesImage=*/true};
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  bool isImage = result && result.hasStaticShape() && result.getRank() == 4;
  if (isa<PointwiseOpInterface, ConcatOp>(op)) {
    // An operand of a concat is no broadcast one: it has all dimensions.
    return isImage && sortBroadcast(image) ? std::optional(image)
                                           : std::nullopt;
  }
  if (isa<BroadcastOp>(op)) {
    return isImage && sortBroadcast(image) ? std::optional(image)
                                           : std::nullopt;
  }
  if (op->getNumOperands() == 0 || !mayBeImage(op->getOperand(0))) {
    return std::nullopt;
  }
  image.images.push_back(0);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    image.givesImage = reduce.getKeepDims();
    return image.givesImage || leavesOneOrder(reduce) ? std::optional(image)
                                                      : std::nullopt;
  }
  return isImage && (statedLayout(op) ||
                     isa<PadOp, SliceOp, SoftmaxOp, GroupNormOp>(op))
             ? std::optional(image)
             : std::nullopt;
}

/// A value per dimension in the other order.
static SmallVector<int64_t> permuted(ArrayRef<int64_t> values,
                                     ArrayRef<int64_t> permutation) {
  return llvm::map_to_vector(permutation,
                             [&](int64_t dim) { return values[size_t(dim)]; });
}

/// Where dimension `dim` is in the other order.
static int64_t placeOf(int64_t dim, ArrayRef<int64_t> permutation) {
  return llvm::find(permutation, dim) - permutation.begin();
}

/// Rewrites the attributes of `op` that name dimensions.
static void permuteAttributes(Operation *op, NamedAttrList &attributes,
                              ImageLayout layout) {
  Builder b(op->getContext());
  ArrayRef<int64_t> permutation = permutationTo(layout);
  auto perDim = [&](StringRef name, ArrayRef<int64_t> values) {
    attributes.set(name, b.getDenseI64ArrayAttr(permuted(values, permutation)));
  };
  if (statedLayout(op)) {
    attributes.set("layout", b.getStringAttr(stringifyImageLayout(layout)));
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    auto axes = llvm::map_to_vector(reduce.getAxes(), [&](int64_t axis) {
      return placeOf(axis, permutation);
    });
    llvm::sort(axes);
    attributes.set("axes", b.getDenseI64ArrayAttr(axes));
  } else if (auto concat = dyn_cast<ConcatOp>(op)) {
    attributes.set("axis",
                   b.getI64IntegerAttr(placeOf(concat.getAxis(), permutation)));
  } else if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
    attributes.set(
        "axis", b.getI64IntegerAttr(placeOf(softmax.getAxis(), permutation)));
  } else if (auto pad = dyn_cast<PadOp>(op)) {
    perDim("before", pad.getBefore());
    perDim("after", pad.getAfter());
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    perDim("starts", slice.getStarts());
    perDim("ends", slice.getEnds());
    perDim("steps", slice.getSteps());
  }
}

/// What is broadcast to images, in the other order.
static Value follow(OpBuilder &builder, Location loc, Value value,
                    ImageLayout layout) {
  RankedTensorType type = typeOf(value);
  // One element is the same in every shape that it is broadcast to.
  if (type.getNumElements() == 1) {
    return value;
  }
  auto shape = asImage(type.getShape());
  ArrayRef<int64_t> permutation = permutationTo(layout);
  if (keepsElementOrder(shape, permutation)) {
    return ReshapeOp::create(builder, loc,
                             type.clone(permuted(shape, permutation)), value);
  }
  if (type.getRank() != 4) {
    value = ReshapeOp::create(builder, loc, type.clone(shape), value);
  }
  return TransposeOp::create(builder, loc, value, permutation);
}

/// A group norm is of NCHW: its kernels read and write NHWC as strides.
static Operation *createBetweenTransposes(OpBuilder &builder, GroupNormOp op,
                                          ValueRange operands) {
  SmallVector<Value> own(operands);
  own[0] = TransposeOp::create(builder, op.getLoc(), operands[0],
                               permutationTo(ImageLayout::NCHW));
  Operation *norm = builder.insert(op->clone());
  norm->setOperands(own);
  return TransposeOp::create(builder, op.getLoc(), norm->getResult(0),
                             permutationTo(ImageLayout::NHWC));
}

Operation *ImageOp::create(OpBuilder &builder, ImageLayout layout,
                           ValueRange operands) const {
  if (auto norm = dyn_cast<GroupNormOp>(op)) {
    return createBetweenTransposes(builder, norm, operands);
  }
  OperationState state(op->getLoc(), op->getName());
  SmallVector<Value> own(operands);
  for (unsigned number : followers) {
    own[number] = follow(builder, op->getLoc(), own[number], layout);
  }
  state.addOperands(own);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  state.addTypes(
      givesImage ? type.clone(permuted(type.getShape(), permutationTo(layout)))
                 : type);
  NamedAttrList attributes(op->getAttrDictionary());
  permuteAttributes(op, attributes, layout);
  state.addAttributes(attributes);
  return builder.create(state);
}

} // namespace minic::graph
