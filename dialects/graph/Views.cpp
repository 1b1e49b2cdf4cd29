// SPDX-License-Identifier: Apache-2.0
//
// Which slices and concats are dense.

#include "dialects/graph/Views.h"

#include "dialects/graph/InPlace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::graph {

static int64_t elementBytes(RankedTensorType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// A slice is dense if all dimensions behind the first one of which it takes
/// several elements are whole.
static std::optional<int64_t> getSliceOffset(SliceOp slice) {
  auto input = slice.getInput().getType();
  auto result = slice.getType();
  if (!input.hasStaticShape() || input.getEncoding()) {
    return std::nullopt;
  }
  int64_t offset = 0;
  bool isInside = false;
  for (auto [dim, extent] : llvm::enumerate(result.getShape())) {
    int64_t whole = input.getDimSize(dim);
    if (isInside && extent != whole) {
      return std::nullopt;
    }
    if (extent > 1) {
      if (slice.getSteps()[dim] != 1) {
        return std::nullopt;
      }
      isInside = true;
    }
    offset = offset * whole + slice.getStarts()[dim];
  }
  offset *= elementBytes(input);
  return offset % viewAlignment == 0 ? std::optional(offset) : std::nullopt;
}

std::optional<int64_t> getViewOffset(Operation *op) {
  if (isa_and_present<ReshapeOp>(op)) {
    return 0;
  }
  auto slice = dyn_cast_if_present<SliceOp>(op);
  return slice ? getSliceOffset(slice) : std::nullopt;
}

std::optional<SmallVector<int64_t>> getPieceOffsets(ConcatOp concat) {
  auto result = cast<RankedTensorType>(concat.getResult().getType());
  if (!result.hasStaticShape() ||
      llvm::any_of(result.getShape().take_front(concat.getAxis()),
                   [](int64_t extent) { return extent != 1; })) {
    return std::nullopt;
  }
  SmallVector<int64_t> offsets;
  int64_t end = 0;
  for (Value input : concat.getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    if (end % viewAlignment != 0 || !type.hasStaticShape()) {
      return std::nullopt;
    }
    offsets.push_back(end);
    end += type.getNumElements() * elementBytes(type);
  }
  return offsets;
}

bool isView(Operation *op) {
  if (getViewOffset(op)) {
    return true;
  }
  auto concat = dyn_cast_if_present<ConcatOp>(op);
  return concat && getPieceOffsets(concat) &&
         llvm::any_of(concat.getInputs(), [](Value input) {
           Operation *producer = skipReshapes(input).getDefiningOp();
           return producer && !isa<ConstantOp>(producer) &&
                  !getViewOffset(producer);
         });
}

} // namespace minic::graph
