// SPDX-License-Identifier: Apache-2.0
//
// A decode step waits for memory three times: for what earlier launches leave
// undone, for the length, and for keys and values. These are most of its bytes,
// and nearly all of them lie in memory since earlier steps.

#include "compiler/target/cuda/attention/KeysAhead.h"

#include "compiler/target/cuda/attention/BlockRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

static bool knowsKeys(const AttentionGeometry &g) {
  return g.schedule.programmatic && g.schedule.split > 1 &&
         g.hasOneKeyBlock() && g.fusion.keyLength && !g.fusion.window;
}

void emitKeysAhead(CudaKernelBuilder &k, const AttentionGeometry &g,
                   KernelEntry entry) {
  if (!knowsKeys(g)) {
    return;
  }
  constexpr int64_t lineBytes = 128;
  const AttentionFusion &a = g.fusion;
  BlockRows rows(k, g, entry, /*statusWord=*/{}, /*readsLength=*/false);
  Value first = k.mul(BlockRows::part(k, g), g.schedule.keyBlock);
  auto ask = [&](const AttentionFusion::Access &access, int64_t depth) {
    int64_t bytes = access.storage.getIntOrFloatBitWidth() / 8;
    auto lines = int64_t(llvm::divideCeil(depth * bytes, lineBytes));
    Value base = rows.keyAddress(access);
    k.forLoop(k.threadIdX(), k.i32(g.schedule.keyBlock * lines),
              g.schedule.threads(), [&](Value index) {
                Value key =
                    k.min(k.add(first, k.div(index, lines)), k.i32(a.keys - 1));
                Value wide =
                    arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), key);
                Value row = rows.pointer(
                    access, k.add(base, k.mul(wide, access.strides[2])));
                Value at = k.advance(row, k.mul(k.rem(index, lines), lineBytes),
                                     k.b.getI8Type());
                k.prefetchToL2(at);
              });
  };
  ask(a.key, a.depth);
  ask(a.value, a.valueDepth);
}

} // namespace minic::cuda
