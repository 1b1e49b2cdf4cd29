// SPDX-License-Identifier: Apache-2.0
//
// Three instructions split a number, as many as one conversion to tf32 takes:
// ptxas knows that tensor cores ignore the bits that a mask takes from their
// operands, and leaves it out there.

#include "compiler/target/cuda/gemm_sm80/SplitFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace minic::cuda {

/// What cutting off after multiplication makes a rounding: it adds 3/8 of a
/// unit of tf32 to a mantissa of 1 and 3/4 to one of 2. So rests of random
/// numbers have a mean near zero, which that of the rests' dropped product
/// needs too.
static constexpr float kTowardsNearest = 1 + 0x3p-13f;

/// Bits of a float32 that tf32 has.
static constexpr int64_t kTf32Bits = 0xffffe000;

static Value constant(CudaKernelBuilder &k, float value) {
  return arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(value));
}

/// The number that the first bits of `f32` are, as a register of tf32.
static Value cut(CudaKernelBuilder &k, Value f32) {
  return arith::AndIOp::create(
      k.b, k.loc, LLVM::BitcastOp::create(k.b, k.loc, k.b.getI32Type(), f32),
      k.i32(kTf32Bits));
}

SplitFloat SplitFloat::of(CudaKernelBuilder &k, Value number) {
  Type f32 = k.b.getF32Type();
  Value x = LLVM::BitcastOp::create(k.b, k.loc, f32, number);
  // Rounded towards zero, which never makes a finite number infinite.
  Value more = LLVM::CallIntrinsicOp::create(
                   k.b, k.loc, f32, k.b.getStringAttr("llvm.nvvm.mul.rz.f"),
                   ValueRange{x, constant(k, kTowardsNearest)})
                   .getResults();
  Value whole = cut(k, more);
  Value rest = arith::SubFOp::create(
      k.b, k.loc, x, LLVM::BitcastOp::create(k.b, k.loc, f32, whole));
  return {whole, cut(k, rest)};
}

Value addRests(CudaKernelBuilder &k, Value wholes, Value rests) {
  Value isFinite = arith::CmpFOp::create(
      k.b, k.loc, arith::CmpFPredicate::OLT,
      math::AbsFOp::create(k.b, k.loc, wholes),
      constant(k, std::numeric_limits<float>::infinity()));
  Value both = arith::AddFOp::create(k.b, k.loc, wholes, rests);
  return arith::SelectOp::create(k.b, k.loc, isFinite, both, wholes);
}

} // namespace minic::cuda
