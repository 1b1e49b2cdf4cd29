// SPDX-License-Identifier: Apache-2.0
//
// Which rows a block copies, and where the ring of stages wraps.

#include "compiler/target/cuda/attention/BlockCopies.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace minic::cuda {

using Access = AttentionFusion::Access;

BlockCopies::BlockCopies(CudaKernelBuilder &builder,
                         const AttentionGeometry &geometry, BlockRows &rows,
                         Value shared, Value thread)
    : k(builder), g(geometry), rows(rows), shared(shared),
      queryCopy(k, g.query, g.schedule.rowBlock(), g.schedule.threads(),
                thread),
      keyCopy(k, g.key, g.schedule.keyBlock, g.schedule.threads(), thread),
      valueCopy(k, g.value, g.schedule.keyBlock, g.schedule.threads(), thread) {
}

void BlockCopies::copyQuery() {
  const Access &access = g.fusion.query;
  Value first = k.add(rows.firstRow(), queryCopy.row());
  Value left;
  if (g.rows() % g.schedule.rowBlock() != 0) {
    left = k.sub(k.i32(g.rows()), rows.firstRow());
  }
  queryCopy.issue(
      shared,
      [&](int64_t row) {
        Value from = rows.pointer(
            access, rows.address(access, rows.clamp(k.add(first, row))));
        return k.advance(from, queryCopy.bytes(), k.b.getI8Type());
      },
      left);
}

Value BlockCopies::source(RowCopy &copy, const Access &access, Value keyBlock) {
  Value row = arith::ExtUIOp::create(
      k.b, k.loc, k.b.getI64Type(),
      k.add(k.mul(keyBlock, g.schedule.keyBlock), copy.row()));
  Value from = k.add(rows.keyAddress(access), k.mul(row, access.strides[2]));
  return k.advance(rows.pointer(access, from), copy.bytes(), k.b.getI8Type());
}

/// LLVM would carry the address of each row of a thread through the loop, a
/// pair of registers each. It cannot see through this, and adds constants
/// instead.
static Value hideOrigin(CudaKernelBuilder &k, Value pointer) {
  return LLVM::InlineAsmOp::create(
             k.b, k.loc, pointer.getType(), ValueRange{pointer},
             "mov.b64 $0, $1;", "=l,l", /*has_side_effects=*/false,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(k.b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

void BlockCopies::copyRows(RowCopy &copy, const Access &access, Value keyBlock,
                           Value from, Value to) {
  Value left, hidden = hideOrigin(k, from);
  if (g.fusion.keyLength || g.fusion.keys % g.schedule.keyBlock != 0) {
    left = k.sub(rows.keys(), k.mul(keyBlock, g.schedule.keyBlock));
  }
  copy.issue(
      at(to),
      [&](int64_t first) {
        return k.advance(hidden, first * access.strides[2], access.storage);
      },
      left);
}

void BlockCopies::commit() { NVVM::CpAsyncCommitGroupOp::create(k.b, k.loc); }

void BlockCopies::await(int64_t groups) {
  NVVM::CpAsyncWaitGroupOp::create(k.b, k.loc, int32_t(groups));
}

Value BlockCopies::next(Value position, int64_t count) {
  if (g.schedule.stages == 1) {
    return position;
  }
  Value end = stage(g.schedule.stages);
  for (int64_t i = 0; i != count; ++i) {
    Value behind = k.add(position, g.stageBytes());
    Value wraps = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq,
                                        behind, end);
    position = arith::SelectOp::create(k.b, k.loc, wraps, stage(0), behind);
  }
  return position;
}

} // namespace minic::cuda
