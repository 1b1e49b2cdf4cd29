// SPDX-License-Identifier: Apache-2.0
//
// Ranges that meet go on to meet: begin and end are scaled alike.

#include "compiler/target/cpu/RunShare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

std::optional<BoundedRows>
BoundedRows::get(const std::optional<RunBound> &bound, int64_t addresses) {
  return bound ? std::optional(BoundedRows{*bound, addresses}) : std::nullopt;
}

Value BoundedRows::count(KernelBuilder &k, const KernelEntry &entry,
                         int64_t pieces) const {
  Value word = k.argPointer(entry.args, parameter);
  return arith::ExtSIOp::create(k.b, k.loc, k.b.getI64Type(),
                                bound.emitCount(k, word, pieces));
}

void shareTiles(KernelBuilder &k, KernelEntry &entry, Value needed,
                int64_t all) {
  entry.begin = k.div(k.mul(entry.begin, needed), all);
  entry.end = k.div(k.mul(entry.end, needed), all);
}

void shareTilesOfRun(KernelBuilder &k, KernelEntry &entry,
                     const std::optional<BoundedRows> &rows, int64_t pieces,
                     int64_t tile) {
  if (rows) {
    Value count = rows->count(k, entry, pieces);
    shareTiles(k, entry, k.div(k.add(count, tile - 1), tile),
               int64_t(llvm::divideCeil(pieces, tile)));
  }
}

} // namespace minic::cpu
