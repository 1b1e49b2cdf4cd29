// SPDX-License-Identifier: Apache-2.0
//
// The word is 0 where a run has all rows: nobody writes it then.

#include "compiler/target/codegen/RunBound.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic {

std::optional<RunBound> RunBound::get(kernel::FusionOp fusion, int64_t pieces) {
  std::optional<kernel::RunRows> rows = kernel::RunRows::get(fusion);
  if (!rows || pieces == 0 || pieces >= int64_t(1) << 31 ||
      pieces % rows->size != 0) {
    return std::nullopt;
  }
  return RunBound{rows->dim, rows->size};
}

Value RunBound::emitCount(KernelBuilder &k, Value word, int64_t pieces) const {
  Value said = k.loadRaw(k.b.getI32Type(), word, /*alignment=*/4);
  Value isAll = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq,
                                      said, k.i32(0));
  Value needed = k.mul(said, pieces / size);
  return arith::SelectOp::create(k.b, k.loc, isAll, k.i32(pieces), needed);
}

} // namespace minic
