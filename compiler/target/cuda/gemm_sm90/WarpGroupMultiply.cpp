// SPDX-License-Identifier: Apache-2.0
//
// Products and fragments, as the PTX ISA describes wgmma.mma_async.

#include "compiler/target/cuda/gemm_sm90/WarpGroupMultiply.h"

#include "compiler/target/cuda/Wgmma.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cuda {

/// Elements of K, of 16 bits, and rows of lhs that one wgmma takes.
constexpr int64_t stepK = 16, stepM = 64;

WarpGroupMultiply::WarpGroupMultiply(CudaKernelBuilder &builder,
                                     const GemmSm90Geometry &geometry,
                                     Value shared, Value thread)
    : k_(builder), g_(geometry), lane_(k_.rem(thread, 32)) {
  const GemmSm90Schedule &s = g_.schedule;
  Value warp = k_.warpId();
  warp_ = k_.rem(warp, 4);
  // A team of a ping-pong has a ring as if it were alone.
  Value group = s.isPingPong() ? k_.i32(0) : k_.div(warp, 4);
  firstRow_ = k_.mul(k_.rem(group, s.warpGroupsM), g_.groupTileM);
  Value rest = k_.div(group, s.warpGroupsM);
  firstColumn_ = k_.mul(k_.rem(rest, s.warpGroupsN), g_.groupTileN);
  groupK_ = k_.div(rest, s.warpGroupsN);

  Value base =
      LLVM::PtrToIntOp::create(k_.b, k_.loc, k_.b.getI64Type(), shared);
  Value part = k_.mul(groupK_, g_.rowBytes / s.warpGroupsK);
  auto first = [&](Value row, int64_t offset) {
    Value at = k_.add(k_.add(k_.mul(row, g_.rowBytes), part), offset);
    Value wide = arith::ExtUIOp::create(k_.b, k_.loc, k_.b.getI64Type(), at);
    return wgmmaDescriptor(k_, k_.add(base, wide), g_.rowBytes);
  };
  lhs_ = first(firstRow_, 0);
  rhs_ = first(firstColumn_,
               s.keepsRhs ? s.stages * g_.stageBytes() : g_.lhsTileBytes);
}

LLVM::LLVMStructType WarpGroupMultiply::structType() {
  return LLVM::LLVMStructType::getLiteral(
      k_.b.getContext(),
      SmallVector<Type>(size_t(g_.groupTileN / 2), k_.b.getF32Type()));
}

SmallVector<Value> WarpGroupMultiply::zeros() {
  Value zero = LLVM::ZeroOp::create(k_.b, k_.loc, structType());
  return SmallVector<Value>(size_t(g_.groupTileM / stepM), zero);
}

Value WarpGroupMultiply::step(Value sums, Value lhs, Value rhs) {
  using namespace NVVM;
  WGMMATypes type = g_.lhs.type.isBF16() ? WGMMATypes::bf16 : WGMMATypes::f16;
  auto shape = MMAShapeAttr::get(k_.b.getContext(), int(stepM),
                                 int(g_.groupTileN), int(stepK));
  return WgmmaMmaAsyncOp::create(
      k_.b, k_.loc, sums.getType(), sums, lhs, rhs, shape, type, type,
      WGMMATypes::f32, WGMMAScaleOut::one, WGMMAScaleIn::one, WGMMAScaleIn::one,
      MMALayout::row, MMALayout::col, MMAIntOverflowAttr());
}

void WarpGroupMultiply::multiply(Value position, Value block,
                                 MutableArrayRef<Value> sums) {
  NVVM::WgmmaFenceAlignedOp::create(k_.b, k_.loc);
  auto widen = [&](Value units) -> Value {
    return arith::ExtUIOp::create(k_.b, k_.loc, k_.b.getI64Type(), units);
  };
  Value place = widen(k_.div(position, kWgmmaUnit));
  Value ofRhs = g_.schedule.keepsRhs
                    ? widen(k_.mul(block, g_.rhsTileBytes / kWgmmaUnit))
                    : place;
  Value lhs = k_.add(lhs_, place), rhs = k_.add(rhs_, ofRhs);
  int64_t steps = g_.schedule.bk / stepK / g_.schedule.warpGroupsK;
  for (int64_t i = 0; i != steps; ++i) {
    int64_t alongK = i * stepK * g_.elementBytes / kWgmmaUnit;
    for (auto [block, sum] : llvm::enumerate(sums)) {
      int64_t rows = int64_t(block) * stepM * g_.rowBytes / kWgmmaUnit;
      sum = step(sum, k_.add(lhs, rows + alongK), k_.add(rhs, alongK));
    }
  }
  NVVM::WgmmaGroupSyncAlignedOp::create(k_.b, k_.loc);
}

void WarpGroupMultiply::wait(int64_t groups) {
  NVVM::WgmmaWaitGroupSyncOp::create(k_.b, k_.loc, uint64_t(groups));
}

void WarpGroupMultiply::finish(SmallVector<Value> &sums) {
  SmallVector<Value> scalars;
  for (Value sum : sums) {
    for (int64_t i = 0; i != g_.groupTileN / 2; ++i) {
      scalars.push_back(LLVM::ExtractValueOp::create(k_.b, k_.loc, sum, i));
    }
  }
  awaitWgmma(k_, 0, scalars);
  sums = std::move(scalars);
}

void WarpGroupMultiply::store(ArrayRef<Value> sums, Value shared) {
  Type f32 = k_.b.getF32Type();
  auto pair = VectorType::get(2, f32);
  // A warp has 16 of 64 rows: a lane's pairs of columns are in two of them.
  Value row = k_.add(k_.add(firstRow_, k_.mul(warp_, 16)), k_.div(lane_, 4));
  Value column = k_.add(firstColumn_, k_.mul(k_.rem(lane_, 4), 2));
  Value at = k_.add(k_.mul(row, g_.sumPitch()), column);
  at = k_.add(at, k_.mul(groupK_, g_.schedule.bm * g_.sumPitch()));
  Value first = k_.advance(shared, at, f32);
  size_t next = 0;
  for (int64_t block = 0; block != g_.groupTileM; block += stepM) {
    for (int64_t columns = 0; columns != g_.groupTileN; columns += 8) {
      for (int64_t half : {0, 8}) {
        Value value = LLVM::UndefOp::create(k_.b, k_.loc, pair);
        for (int64_t i : {0, 1}) {
          value = LLVM::InsertElementOp::create(k_.b, k_.loc, value,
                                                sums[next++], k_.i32(i));
        }
        k_.storeAligned(
            value,
            k_.advance(first, (block + half) * g_.sumPitch() + columns, f32));
      }
    }
  }
}

} // namespace minic::cuda
