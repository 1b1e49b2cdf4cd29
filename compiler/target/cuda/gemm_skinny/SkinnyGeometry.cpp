// SPDX-License-Identifier: Apache-2.0
//
// Matching and the weights' layout.

#include "compiler/target/cuda/gemm_skinny/SkinnyGeometry.h"

#include "compiler/target/cuda/gemm/ConvolutionView.h"

using namespace mlir;

namespace minic::cuda {

FailureOr<kernel::FusionShape> matchSkinny(kernel::FusionOp fusion,
                                           std::string *reason) {
  auto fail = [&](const Twine &why) {
    *reason = why.str();
    return failure();
  };
  auto shape = kernel::FusionShape::get(fusion, reason);
  if (failed(shape)) {
    return failure();
  }
  if (const char *why = viewPlainProduct(*shape)) {
    return fail(why);
  }
  const kernel::GemmShape &gemm = *shape->gemm;
  if (gemm.batchCount() != 1) {
    return fail("a batch of matrices");
  }
  if (gemm.m > kSkinnyRows) {
    return fail("M = " + Twine(gemm.m) + " is more than " + Twine(kSkinnyRows));
  }
  if (!isa<BlockArgument>(gemm.lhs) || !isa<BlockArgument>(gemm.rhs)) {
    return fail("pointwise ops before the contraction");
  }
  // The weights' layout is this family's own.
  if (!gemm.rhs.hasOneUse() || gemm.lhs == gemm.rhs) {
    return fail("rhs of the contraction has another use in the body");
  }
  if (gemm.lhsStrideK != 1 && gemm.m > 1) {
    return fail("a transposed lhs");
  }
  Type dtype = gemm.lhsType;
  if (dtype != gemm.rhsType ||
      (!dtype.isBF16() && !dtype.isF16() && !dtype.isF32())) {
    return fail("operands that are not both bf16, f16 or f32");
  }
  return shape;
}

Attribute getWeightLayout(const kernel::FusionShape &shape) {
  auto type = cast<RankedTensorType>(shape.gemm->rhs.getType());
  bool nFirst = true;
  if (auto matmul = dyn_cast<graph::MatmulOp>(shape.anchor)) {
    nFirst = matmul.getTransposeRhs();
  }
  int64_t rank = type.getRank();
  int64_t n = nFirst ? rank - 2 : rank - 1, k = nFirst ? rank - 1 : rank - 2;
  bool isFilter = isa<graph::Conv2dOp>(shape.anchor);
  if (isFilter) {
    n = 0, k = 1; // [N, K, 1, 1]
  }
  int64_t vector = 16 / kernel::getElementBytes(type.getElementType());
  auto padded = llvm::to_vector(type.getShape());
  padded[k] = (padded[k] + vector - 1) / vector * vector;
  if (nFirst && padded[k] == type.getDimSize(k)) {
    return UnitAttr::get(type.getContext());
  }
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (!isFilter) {
    order[size_t(rank - 2)] = n;
    order[size_t(rank - 1)] = k;
  }
  return kernel::LayoutAttr::get(type.getContext(), order, {}, {}, padded);
}

int64_t SkinnyGeometry::registers() const {
  // Addresses, counters, and what the assembler moves between them; less makes
  // it spill.
  int64_t fixed = 64 + 2 * loadsPerChunk();
  int64_t weights = 2 * 4 * loadsPerChunk() * schedule.unroll;
  if (schedule.math == SkinnyMath::Ffma) {
    return fixed + weights + schedule.columns * gemm.m + 48;
  }
  int64_t accumulators = schedule.columns / 16 * rowTiles() * 4;
  return fixed + weights + accumulators +
         (4 * schedule.unroll + 2) * rowTiles();
}

int64_t SkinnyGeometry::minBlocksPerSm() const {
  // As many as the registers that a thread is going to take allow.
  int64_t perThread = std::clamp<int64_t>((registers() + 7) / 8 * 8, 64, 255);
  return std::clamp<int64_t>(65536 / (perThread * threads()), 1, 32);
}

FailureOr<SkinnyGeometry> SkinnyGeometry::get(const kernel::FusionShape &shape,
                                              const SkinnySchedule &schedule,
                                              std::string *reason) {
  SkinnyGeometry g;
  g.gemm = *shape.gemm;
  g.schedule = schedule;
  g.dtype = g.gemm.lhsType;
  g.elementBytes = kernel::getElementBytes(g.dtype);
  auto fail = [&](const char *why) {
    if (reason) {
      *reason = why;
    }
    return failure();
  };
  if ((schedule.math == SkinnyMath::Mma16) != (g.elementBytes == 2)) {
    return fail("the operands' dtype needs other instructions");
  }
  // A block of many threads leaves each of them less.
  if (g.registers() > std::min<int64_t>(255, 65536 / g.threads())) {
    return fail("more sums and loads than a thread has registers");
  }
  if (g.sharedBytes() > 48 << 10) {
    return fail("more sums than shared memory holds");
  }
  if (g.threads() > 1024) {
    return fail("more warps than a block has");
  }
  if (g.tiles() > INT32_MAX || g.gemm.k > INT32_MAX / 2) {
    return fail("dimensions beyond 32 bits");
  }
  return g;
}

} // namespace minic::cuda
