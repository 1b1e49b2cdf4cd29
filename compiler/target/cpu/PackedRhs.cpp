// SPDX-License-Identifier: Apache-2.0
//
// One analysis and one layout for gemm_packed and gemm_amx.

#include "compiler/target/cpu/PackedRhs.h"

#include "compiler/target/codegen/ConvolutionProduct.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

static bool isPackedProduct(const graph::Conv2dGeometry &geometry) {
  return geometry.layout == graph::ImageLayout::NHWC && geometry.groups == 1;
}

bool isPackedProduct(Operation *anchor) {
  if (anchor && graph::isContraction(anchor)) {
    return true;
  }
  auto geometry = geometryOf(anchor);
  return geometry && isPackedProduct(*geometry);
}

std::optional<WindowRows> windowsOf(const kernel::FusionShape &shape) {
  if (!shape.conv || isPlainProduct(shape.conv->geometry)) {
    return std::nullopt;
  }
  return WindowRows::get(shape.conv->geometry);
}

static FailureOr<kernel::FusionShape>
match(kernel::FusionOp fusion, std::string *reason, bool takesConvolutions) {
  auto fail = [&](const char *why) {
    *reason = why;
    return failure();
  };
  FailureOr<kernel::FusionShape> shape =
      kernel::FusionShape::get(fusion, reason);
  if (failed(shape)) {
    return failure();
  }
  if (takesConvolutions && shape->conv &&
      isPackedProduct(shape->conv->geometry)) {
    viewAsGemm(*shape);
    if (auto windows = windowsOf(*shape)) {
      shape->gemm->k = windows->k();
      shape->gemm->lhsStrideM = shape->gemm->rhsStrideN = windows->k();
    }
  }
  if (!shape->gemm) {
    return fail("no contraction in the body");
  }
  if (!shape->prologue.empty()) {
    return fail("pointwise ops before the contraction");
  }
  // The packed rhs is unreadable for anyone else.
  Value rhs = shape->gemm->rhs;
  if (!rhs.hasOneUse() || shape->gemm->lhs == rhs) {
    return fail("rhs of the contraction has another use in the body");
  }
  return shape;
}

FailureOr<kernel::FusionShape> matchPackedGemm(kernel::FusionOp fusion,
                                               std::string *reason) {
  return match(fusion, reason, /*takesConvolutions=*/false);
}

FailureOr<kernel::FusionShape> matchPackedProduct(kernel::FusionOp fusion,
                                                  std::string *reason) {
  return match(fusion, reason, /*takesConvolutions=*/true);
}

kernel::LayoutAttr getPanelLayout(const kernel::FusionShape &shape,
                                  int64_t width, int64_t wordElements,
                                  int64_t paddedK) {
  auto type = cast<RankedTensorType>(shape.gemm->rhs.getType());
  int64_t rank = type.getRank();
  // The last two dimensions are [N, K] or [K, N]; a filter is [N, C, R, S].
  bool nFirst = true;
  if (auto matmul = dyn_cast<graph::MatmulOp>(shape.anchor)) {
    nFirst = matmul.getTransposeRhs();
  }
  int64_t n = nFirst ? rank - 2 : rank - 1, k = nFirst ? rank - 1 : rank - 2;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  if (isa<graph::Conv2dOp>(shape.anchor)) {
    n = 0, k = 1;
    order = {0, 2, 3, 1};
  } else {
    order.append({n, k});
  }
  SmallVector<int64_t> blockDims = {n}, blockSizes = {width};
  if (wordElements > 1) {
    blockDims.push_back(k);
    blockSizes.push_back(wordElements);
  }
  auto padded = llvm::to_vector(type.getShape());
  padded[n] = llvm::alignTo(shape.gemm->n, width);
  padded[k] = paddedK;
  if (auto windows = windowsOf(shape)) {
    padded[k] = windows->paddedChannels;
    padded[3] = windows->paddedTaps;
  }
  return kernel::LayoutAttr::get(type.getContext(), order, blockDims,
                                 blockSizes, padded);
}

} // namespace minic::cpu
