// SPDX-License-Identifier: Apache-2.0
//
// wgmma.m64nNk16: the query and keys by rows, both from shared memory; weights
// from registers and values by key, which makes them B transposed.

#include "compiler/target/cuda/attention/WarpGroupProducts.h"

#include "compiler/target/cuda/Wgmma.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace minic::cuda {

/// Rows of a warp group; elements along the sum that one wgmma takes.
constexpr int64_t kRows = 64, kStep = 16;

WarpGroupProducts::WarpGroupProducts(CudaKernelBuilder &builder,
                                     const AttentionGeometry &geometry,
                                     Value shared, Value warp)
    : k(builder), g(geometry), core(builder, geometry.fusion.query.storage) {
  Type i64 = k.b.getI64Type();
  Value base = LLVM::PtrToIntOp::create(k.b, k.loc, i64, shared);
  Value first = arith::ExtUIOp::create(
      k.b, k.loc, i64, k.mul(k.div(warp, 4), kRows * g.query.atomBytes));
  query = wgmmaDescriptor(k, k.add(base, first), g.query.atomBytes);
  keys = wgmmaDescriptor(k, base, g.key.atomBytes);
  values = wgmmaDescriptor(k, k.add(base, g.keyBytes()), g.value.atomBytes,
                           g.schedule.keyBlock * g.value.atomBytes);
}

Value WarpGroupProducts::at(Value descriptor, Value stage) {
  Value place = arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(),
                                       k.div(stage, kWgmmaUnit));
  return k.add(descriptor, place);
}

LLVM::LLVMStructType WarpGroupProducts::sumsOf(int64_t columns) {
  return LLVM::LLVMStructType::getLiteral(
      k.b.getContext(),
      SmallVector<Type>(size_t(columns / 2), k.b.getF32Type()));
}

/// Where 16 elements of rows of a tile of `tileRows` rows are.
static int64_t offsetOf(int64_t step, int64_t atomBytes, int64_t tileRows) {
  int64_t bytes = step * kStep * 2;
  return bytes / atomBytes * atomBytes * tileRows + bytes % atomBytes;
}

SmallVector<Value> WarpGroupProducts::multiplyKeys(Value stage) {
  using namespace NVVM;
  const AttentionSchedule &s = g.schedule;
  WGMMATypes type =
      g.fusion.query.storage.isBF16() ? WGMMATypes::bf16 : WGMMATypes::f16;
  auto shape = MMAShapeAttr::get(k.b.getContext(), int(kRows), int(s.keyBlock),
                                 int(kStep));
  Value columns = at(keys, stage);
  Value sums = LLVM::UndefOp::create(k.b, k.loc, sumsOf(s.keyBlock));
  for (int64_t step = 0; step != g.query.padded / kStep; ++step) {
    int64_t ofQuery = offsetOf(step, g.query.atomBytes, s.rowBlock()),
            ofKeys = offsetOf(step, g.key.atomBytes, s.keyBlock);
    sums = WgmmaMmaAsyncOp::create(
        k.b, k.loc, sums.getType(), sums, k.add(query, ofQuery / kWgmmaUnit),
        k.add(columns, ofKeys / kWgmmaUnit), shape, type, type, WGMMATypes::f32,
        step == 0 ? WGMMAScaleOut::zero : WGMMAScaleOut::one, WGMMAScaleIn::one,
        WGMMAScaleIn::one, MMALayout::row, MMALayout::col,
        MMAIntOverflowAttr());
  }
  WgmmaGroupSyncAlignedOp::create(k.b, k.loc);
  SmallVector<Value> scores;
  for (int64_t i = 0; i != s.keyBlock / 2; ++i) {
    scores.push_back(LLVM::ExtractValueOp::create(k.b, k.loc, sums, i));
  }
  return scores;
}

SmallVector<Value> WarpGroupProducts::pack(ArrayRef<Value> weights) {
  SmallVector<Value> packed;
  for (size_t i = 0; i != weights.size(); i += 2) {
    packed.push_back(core.pack(weights[i], weights[i + 1]));
  }
  return packed;
}

void WarpGroupProducts::multiplyStep(ArrayRef<Value> weights, Value columns,
                                     MutableArrayRef<Value> sums) {
  // NVVM's op has no weights in registers.
  size_t count = sums.size();
  auto list = [](size_t first, size_t number) {
    std::string text;
    for (size_t i = first; i != first + number; ++i) {
      text += (text.empty() ? "{$" : ", $") + std::to_string(i);
    }
    return text + "}";
  };
  std::string type = g.fusion.value.storage.isBF16() ? "bf16" : "f16";
  std::string text = "{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n" +
                     std::to_string(2 * count) + "k16.f32." + type + "." +
                     type + " " + list(0, count) + ", " + list(2 * count, 4) +
                     ", $" + std::to_string(2 * count + 4) + ", p, 1, 1, 1;\n}";
  std::string results, operands;
  for (size_t i = 0; i != count; ++i) {
    results += "=f,";
    operands += std::to_string(i) + ",";
  }
  SmallVector<Value> taken(sums.begin(), sums.end());
  taken.append(weights.begin(), weights.end());
  taken.push_back(columns);
  auto product = LLVM::InlineAsmOp::create(
      k.b, k.loc, sumsOf(2 * int64_t(count)), taken, text,
      results + operands + "r,r,r,r,l", /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    sum =
        LLVM::ExtractValueOp::create(k.b, k.loc, product.getRes(), int64_t(i));
  }
}

void WarpGroupProducts::multiplyValues(Value stage, ArrayRef<Value> packed,
                                       MutableArrayRef<Value> sums) {
  Value first = at(values, stage);
  for (int64_t step = 0; step != g.schedule.keyBlock / kStep; ++step) {
    int64_t rows = step * kStep * g.value.atomBytes / kWgmmaUnit;
    multiplyStep(packed.slice(size_t(4 * step), 4), k.add(first, rows), sums);
  }
  NVVM::WgmmaGroupSyncAlignedOp::create(k.b, k.loc);
}

} // namespace minic::cuda
