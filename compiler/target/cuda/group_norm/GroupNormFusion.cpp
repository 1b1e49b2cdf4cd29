// SPDX-License-Identifier: Apache-2.0
//
// Looks for the norm, for the transposes around it, and for what is behind.

#include "compiler/target/cuda/group_norm/GroupNormFusion.h"

#include "compiler/target/codegen/ImageFusion.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether `op` moves the last dimension to `to` and keeps the order of others,
/// or undoes that.
static bool movesChannels(graph::TransposeOp op, bool back) {
  if (!op) {
    return false;
  }
  int64_t rank = typeOf(op.getInput()).getRank();
  SmallVector<int64_t> expected = {0};
  if (!back) {
    expected.push_back(rank - 1);
  }
  for (int64_t d = back ? 2 : 1; d < (back ? rank : rank - 1); ++d) {
    expected.push_back(d);
  }
  if (back) {
    expected.push_back(1);
  }
  return llvm::equal(op.getPermutation(), expected);
}

static bool isOperand(Value value) { return isa<BlockArgument>(value); }

/// Why `norm` reads or writes other images than this family's; empty where it
/// does not.
static std::string findImages(graph::GroupNormOp norm, GroupNormFusion &found) {
  Value input = norm.getInput();
  found.readsPlanes = isOperand(input);
  if (auto in = input.getDefiningOp<graph::TransposeOp>();
      movesChannels(in, /*back=*/false)) {
    input = in.getInput();
  }
  if (!isOperand(input)) {
    return "the norm does not read an operand in NHWC or NCHW";
  }
  if (!norm->hasOneUse() ||
      !movesChannels(dyn_cast<graph::TransposeOp>(*norm->user_begin()),
                     /*back=*/true)) {
    return "the norm's result is not brought to NHWC";
  }
  for (Value perChannel : norm->getOperands().drop_front()) {
    if (!isOperand(perChannel)) {
      return "a scale or bias that is computed";
    }
  }
  found.norm = norm;
  found.input = cast<BlockArgument>(input);
  found.scale = dyn_cast_if_present<BlockArgument>(norm.getScale());
  found.bias = dyn_cast_if_present<BlockArgument>(norm.getBias());
  return {};
}

static graph::GroupNormOp findNorm(kernel::FusionOp fusion) {
  for (Operation *op : fusion.getBodyOps()) {
    if (auto norm = dyn_cast<graph::GroupNormOp>(op)) {
      return norm;
    }
  }
  return {};
}

FailureOr<GroupNormFusion> GroupNormFusion::get(kernel::FusionOp fusion,
                                                std::string *reason) {
  auto fail = [&](std::string why) {
    *reason = std::move(why);
    return failure();
  };
  graph::GroupNormOp norm = findNorm(fusion);
  if (!norm) {
    return fail("no group norm");
  }
  if (!llvm::all_of(fusion.getBodyOps(), [](Operation *op) {
        return llvm::all_of(op->getOperandTypes(), [](Type type) {
          return cast<RankedTensorType>(type).hasStaticShape();
        });
      })) {
    return fail("dynamic shapes are unsupported");
  }
  GroupNormFusion found;
  std::string why = findImages(norm, found);
  if (!why.empty()) {
    return fail(std::move(why));
  }
  Operation *back = *norm->user_begin();
  ArrayRef<int64_t> shape = typeOf(back->getResult(0)).getShape();
  found.images = shape.front(), found.channels = shape.back();
  found.pixels = llvm::product_of(shape.drop_front().drop_back());
  found.groups = norm.getGroups();
  found.epsilon = norm.getEpsilon().convertToDouble();
  found.dtype = typeOf(found.input).getElementType();
  if (llvm::product_of(shape) == 0) {
    return fail("no elements");
  }
  ValueRange results = fusion.getYield().getValues();
  if (results.empty() || llvm::any_of(results, isOperand)) {
    return fail("a result that is an operand of the fusion");
  }
  if (failed(setPointwiseShape(found.after, fusion, results, back, *reason))) {
    return failure();
  }
  if (ArrayRef<int64_t>(found.after.space) != shape) {
    return fail("a result of another shape");
  }
  return found;
}

} // namespace minic::cuda
