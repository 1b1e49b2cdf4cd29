// SPDX-License-Identifier: Apache-2.0
//
// Arrivals have the scope of a block even where the barrier is another block's:
// what they order are reads by tensor cores and copies by TMA, which arrivals
// of the cluster's scope order no better and made kernels of two blocks half as
// fast on an H200.

#include "compiler/target/cuda/MBarrier.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::cuda {

void initMBarrier(CudaKernelBuilder &k, Value barrier, int64_t arrivals) {
  NVVM::MBarrierInitOp::create(k.b, k.loc, barrier, k.i32(arrivals), Value());
}

void fenceMBarrierInit(CudaKernelBuilder &k) {
  NVVM::FenceMbarrierInitOp::create(k.b, k.loc);
}

void arriveAt(CudaKernelBuilder &k, Value barrier) {
  NVVM::MBarrierArriveOp::create(k.b, k.loc, k.b.getI64Type(), barrier,
                                 Value());
}

void arriveAtBlock(CudaKernelBuilder &k, Value barrier, Value rank) {
  NVVM::MBarrierArriveOp::create(k.b, k.loc, Type(),
                                 k.ofClusterBlock(barrier, rank), Value());
}

void arriveExpecting(CudaKernelBuilder &k, Value barrier, int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(k.b, k.loc, k.b.getI64Type(), barrier,
                                         k.i32(bytes), NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
}

void awaitPhase(CudaKernelBuilder &k, Value barrier, Value parity) {
  auto loop = scf::WhileOp::create(k.b, k.loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(k.b);
  k.b.createBlock(&loop.getBefore());
  // It may give up before the phase is complete.
  Value isComplete = NVVM::MBarrierTryWaitOp::create(
      k.b, k.loc, k.b.getI1Type(), barrier, parity, Value());
  Value again = arith::XOrIOp::create(k.b, k.loc, isComplete,
                                      k.integer(k.b.getI1Type(), 1));
  scf::ConditionOp::create(k.b, k.loc, again, ValueRange());
  k.b.createBlock(&loop.getAfter());
  scf::YieldOp::create(k.b, k.loc);
}

} // namespace minic::cuda
