// SPDX-License-Identifier: Apache-2.0
//
// Pitches, alignments and layouts of the matrices of a contraction.

#include "compiler/target/cuda/gemm/GemmOperand.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace minic::cuda {

/// What memory requests are made of, and rows are padded to.
constexpr int64_t rowAlignment = 16;

static GemmOperand describe(const kernel::GemmShape &gemm, bool isLhs,
                            Value value) {
  GemmOperand operand;
  operand.value = value;
  if (auto argument = dyn_cast<BlockArgument>(operand.value)) {
    operand.argument = argument.getArgNumber();
  }
  operand.type = getElementTypeOrSelf(value.getType());
  operand.rows = isLhs ? gemm.m : gemm.n;
  operand.k = operand.paddedK = gemm.k;
  operand.pitch = isLhs ? gemm.lhsStrideM : gemm.rhsStrideN;
  operand.batchStrides = isLhs ? gemm.lhsBatchStrides : gemm.rhsBatchStrides;
  operand.layout = UnitAttr::get(operand.value.getContext());
  return operand;
}

/// Whether K is the operand's last dimension, else the one before.
static bool isKLast(const kernel::FusionShape &shape, bool isLhs) {
  auto matmul = dyn_cast<graph::MatmulOp>(shape.anchor);
  if (!matmul) {
    return true;
  }
  return isLhs ? !matmul.getTransposeLhs() : matmul.getTransposeRhs();
}

static bool isContiguousInK(const kernel::FusionShape &shape, bool isLhs) {
  const kernel::GemmShape &gemm = *shape.gemm;
  return gemm.k <= 1 || (isLhs ? gemm.lhsStrideK : gemm.rhsStrideK) == 1;
}

GemmOperand GemmOperand::dense(const kernel::FusionShape &shape, bool isLhs,
                               Value value) {
  GemmOperand operand = describe(*shape.gemm, isLhs, value);
  if (!isContiguousInK(shape, isLhs)) {
    return padded(shape, isLhs, value);
  }
  // Every address is a multiple of what divides all strides in use.
  int64_t bytes = rowAlignment;
  if (operand.rows > 1) {
    bytes = std::gcd(bytes, operand.pitch * operand.elementBytes());
  }
  for (int64_t stride : operand.batchStrides) {
    bytes = std::gcd(bytes, stride * operand.elementBytes());
  }
  operand.accessBytes = bytes;
  return operand;
}

GemmOperand GemmOperand::padded(const kernel::FusionShape &shape, bool isLhs,
                                Value value, int64_t rowBytes) {
  if (isContiguousInK(shape, isLhs)) {
    GemmOperand operand = dense(shape, isLhs, value);
    if (operand.accessBytes == rowAlignment) {
      return operand;
    }
  }
  GemmOperand operand = describe(*shape.gemm, isLhs, value);
  auto type = cast<RankedTensorType>(operand.value.getType());
  int64_t rank = type.getRank();
  bool kIsLast = isKLast(shape, isLhs);
  int64_t kDim = kIsLast ? rank - 1 : rank - 2;
  if (isa<graph::Conv2dOp>(shape.anchor) && !isLhs) {
    kDim = 1; // a filter of one pixel
  }
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (!kIsLast) {
    std::swap(order[rank - 1], order[rank - 2]);
  }
  auto extents = llvm::to_vector(type.getShape());
  int64_t matrix = rank >= 2 ? extents[rank - 2] * extents[rank - 1] : 0;
  extents[kDim] = llvm::alignTo(std::max<int64_t>(extents[kDim], 1),
                                rowBytes / operand.elementBytes());
  operand.pitch = operand.paddedK = extents[kDim];
  int64_t paddedMatrix = rank >= 2 ? extents[rank - 2] * extents[rank - 1] : 0;
  for (int64_t &stride : operand.batchStrides) {
    stride = matrix == 0 ? 0 : stride / matrix * paddedMatrix;
  }
  operand.layout =
      kernel::LayoutAttr::get(type.getContext(), order, {}, {}, extents);
  return operand;
}

bool GemmOperand::hasWideEvenRows() const {
  return accessBytes == rowAlignment / 2 &&
         llvm::all_of(batchStrides, [&](int64_t stride) {
           return stride * elementBytes() % rowAlignment == 0;
         });
}

bool isRelaidForOthers(const kernel::FusionShape &shape, bool isLhs) {
  const kernel::GemmShape &gemm = *shape.gemm;
  return !GemmOperand::padded(shape, isLhs).isDense() &&
         (!(isLhs ? gemm.lhs : gemm.rhs).hasOneUse() || gemm.lhs == gemm.rhs);
}

} // namespace minic::cuda
