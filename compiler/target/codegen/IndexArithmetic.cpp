// SPDX-License-Identifier: Apache-2.0
//
// Bounds are followed along, so that division, which machines round towards
// zero, gets numbers that are not negative.

#include "compiler/target/codegen/IndexArithmetic.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic {

/// Quotient or remainder.
static BoundedIndex divide(KernelBuilder &k, BoundedIndex index,
                           int64_t divisor, bool wantsRemainder) {
  assert(divisor > 0 && "expected a positive divisor");
  int64_t quotients =
      index.least < 0 ? -llvm::divideFloorSigned(index.least, divisor) : 0;
  Value shifted = k.add(index.value, quotients * divisor);
  if (wantsRemainder) {
    return {k.rem(shifted, divisor), 0, divisor - 1};
  }
  return {k.add(k.div(shifted, divisor), -quotients),
          llvm::divideFloorSigned(index.least, divisor),
          llvm::divideFloorSigned(index.most, divisor)};
}

static BoundedIndex multiply(KernelBuilder &k, BoundedIndex index,
                             int64_t factor) {
  auto [least, most] = std::minmax(index.least * factor, index.most * factor);
  return {k.mul(index.value, factor), least, most};
}

BoundedIndex emitIndex(KernelBuilder &k, AffineExpr expr, ArrayRef<Value> dims,
                       ArrayRef<int64_t> extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    int64_t value = constant.getValue();
    return {k.i64(value), value, value};
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    unsigned position = dim.getPosition();
    return {dims[position], 0, extents[position] - 1};
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  BoundedIndex lhs = emitIndex(k, binary.getLHS(), dims, extents);
  if (expr.getKind() == AffineExprKind::Add) {
    BoundedIndex rhs = emitIndex(k, binary.getRHS(), dims, extents);
    return {k.add(lhs.value, rhs.value), lhs.least + rhs.least,
            lhs.most + rhs.most};
  }
  int64_t factor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    return multiply(k, lhs, factor);
  case AffineExprKind::FloorDiv:
    return divide(k, lhs, factor, /*wantsRemainder=*/false);
  case AffineExprKind::Mod:
    return divide(k, lhs, factor, /*wantsRemainder=*/true);
  case AffineExprKind::CeilDiv:
    lhs = {k.add(lhs.value, factor - 1), lhs.least + factor - 1,
           lhs.most + factor - 1};
    return divide(k, lhs, factor, /*wantsRemainder=*/false);
  default:
    llvm_unreachable("an iteration space has no symbols");
  }
}

} // namespace minic
