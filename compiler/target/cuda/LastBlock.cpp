// SPDX-License-Identifier: Apache-2.0
//
// One thread of a block counts it, and tells the others.

#include "compiler/target/cuda/LastBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cuda {

Value emitIsLastBlock(CudaKernelBuilder &k, Value counter, int64_t blocks,
                      Value flag) {
  Type i32 = k.b.getI32Type();
  auto device = k.b.getStringAttr("device");
  // What the block wrote must be seen by whoever sees its count.
  LLVM::FenceOp::create(k.b, k.loc, LLVM::AtomicOrdering::acq_rel, device);
  k.barrier();
  Value isFirst = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq,
                                        k.threadIdX(), k.i32(0));
  k.ifThen(isFirst, [&] {
    // Wraps to zero at the last one, for the next run.
    Value before = LLVM::AtomicRMWOp::create(
        k.b, k.loc, LLVM::AtomicBinOp::uinc_wrap, counter, k.i32(blocks - 1),
        LLVM::AtomicOrdering::acq_rel, device);
    k.storeAligned(before, flag);
  });
  k.barrier();
  LLVM::FenceOp::create(k.b, k.loc, LLVM::AtomicOrdering::acq_rel, device);
  return arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq,
                               k.loadAligned(i32, flag), k.i32(blocks - 1));
}

} // namespace minic::cuda
