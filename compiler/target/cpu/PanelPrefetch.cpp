// SPDX-License-Identifier: Apache-2.0
//
// Shares of the next panel, by address.

#include "compiler/target/cpu/PanelPrefetch.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

static constexpr int64_t cacheLineBytes = 64;

int64_t PanelPrefetch::linesPerIteration() const {
  return llvm::divideCeil(iterationBytes, cacheLineBytes * tilesPerPanel);
}

Value PanelPrefetch::partOfNext(KernelBuilder &k, Value panel,
                                Value number) const {
  Type i8 = k.b.getI8Type();
  Value part = k.div(k.mul(number, panelBytes), tilesPerPanel);
  return k.advance(k.advance(panel, panelBytes, i8), part, i8);
}

void PanelPrefetch::fetch(KernelBuilder &k, Value part, Value panel,
                          Value now) const {
  Type i64 = k.b.getI64Type();
  auto address = [&](Value pointer) -> Value {
    return LLVM::PtrToIntOp::create(k.b, k.loc, i64, pointer);
  };
  Value iteration = k.div(k.sub(address(now), address(panel)), iterationBytes);
  int64_t lines = linesPerIteration();
  fetchLines(k,
             k.advance(part, k.mul(iteration, lines * cacheLineBytes),
                       k.b.getI8Type()),
             lines);
}

void fetchLines(KernelBuilder &k, Value from, int64_t lines) {
  for (int64_t line = 0; line != lines; ++line) {
    // A read into L2 of data.
    LLVM::Prefetch::create(
        k.b, k.loc, k.advance(from, line * cacheLineBytes, k.b.getI8Type()),
        /*rw=*/0, /*hint=*/2, /*cache=*/1);
  }
}

} // namespace minic::cpu
