// SPDX-License-Identifier: Apache-2.0
//
// One intrinsic each.

#include "compiler/target/cpu/TileOps.h"

#include <array>

using namespace mlir;

namespace minic::cpu {

Value TileOps::number(int tile) {
  return k_.integer(k_.b.getIntegerType(8), tile);
}

void TileOps::call(StringRef intrinsic, ValueRange operands) {
  LLVM::CallIntrinsicOp::create(k_.b, k_.loc, k_.b.getStringAttr(intrinsic),
                                operands);
}

void TileOps::configure(Block *entry, ArrayRef<int64_t> rows) {
  // The layout of palette 1 in memory: its number, then from byte 16 on the
  // bytes of a row as 16 bits per tile, from byte 48 on the rows.
  std::array<uint8_t, 64> bytes = {1};
  for (auto [i, count] : llvm::enumerate(rows)) {
    bytes[16 + 2 * i] = count > 0 ? 64 : 0;
    bytes[48 + i] = uint8_t(count);
  }
  Value memory;
  {
    OpBuilder::InsertionGuard guard(k_.b);
    k_.b.setInsertionPointToStart(entry);
    memory = LLVM::AllocaOp::create(
        k_.b, k_.loc, LLVM::LLVMPointerType::get(k_.b.getContext()),
        k_.b.getI64Type(), k_.i64(8), /*alignment=*/64);
  }
  for (int64_t i = 0; i != 8; ++i) {
    uint64_t word = 0;
    for (int64_t byte = 8; byte-- > 0;) {
      word = word << 8 | bytes[8 * i + byte];
    }
    k_.storeRaw(k_.i64(int64_t(word)), k_.advance(memory, i, k_.b.getI64Type()),
                8);
  }
  call("llvm.x86.ldtilecfg", memory);
}

void TileOps::release() { call("llvm.x86.tilerelease", {}); }

void TileOps::zero(int tile) { call("llvm.x86.tilezero", number(tile)); }

void TileOps::load(int tile, Value from, Value strideBytes, bool passing) {
  call(passing ? "llvm.x86.tileloaddt164" : "llvm.x86.tileloadd64",
       {number(tile), from, strideBytes});
}

void TileOps::store(int tile, Value to, Value strideBytes) {
  call("llvm.x86.tilestored64", {number(tile), to, strideBytes});
}

void TileOps::multiplyAdd(int sums, int lhs, int rhs, Type elements) {
  call(elements.isInteger() ? "llvm.x86.tdpbssd" : "llvm.x86.tdpbf16ps",
       {number(sums), number(lhs), number(rhs)});
}

} // namespace minic::cpu
