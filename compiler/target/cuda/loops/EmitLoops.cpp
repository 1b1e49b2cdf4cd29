// SPDX-License-Identifier: Apache-2.0
//
// Elements are numbered in 64 bits, so that a tensor may have any size.

#include "compiler/target/cuda/loops/EmitLoops.h"

#include "compiler/target/cuda/loops/ThreadShare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::cuda {

void emitLoops(ModuleOp device, Location loc, StringRef name,
               kernel::FusionOp fusion, const MapLoops &loops,
               const LoopsSchedule &schedule,
               const std::optional<RunBound> &bound) {
  OpBuilder builder(device.getContext());
  int64_t operandCount = int64_t(fusion.getInputs().size());
  KernelLaunchBounds bounds;
  bounds.threads = schedule.block;
  int64_t tensors = operandCount + int64_t(fusion.getNumResults());
  int64_t word = tensors + (loops.reportsIndices() ? 1 : 0);
  bounds.pointers = word + (bound ? 1 : 0);
  KernelEntry entry = KernelEntry::create(builder, loc, device, name, bounds);
  CudaKernelBuilder k(builder, loc);
  k.allowLaterLaunches(schedule.programmatic);
  k.waitForEarlierLaunches(schedule.programmatic);
  SmallVector<Value> operands, results;
  for (int64_t i = 0; i != tensors; ++i) {
    (i < operandCount ? operands : results).push_back(entry.parameter(i));
  }
  Value status = loops.reportsIndices() ? entry.parameter(tensors) : Value();
  auto widen = [&](Value i) -> Value {
    return arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), i);
  };
  Value first = k.mul(widen(k.blockIdX()), schedule.blockElements());
  if (bound) {
    Value needed =
        widen(bound->emitCount(k, entry.parameter(word), loops.pointCount()));
    auto ofRun = scf::IfOp::create(k.b, k.loc, k.lessThan(first, needed),
                                   /*withElseRegion=*/false);
    k.b.setInsertionPointToStart(ofRun.thenBlock());
  }
  Value point = k.add(first, widen(k.div(k.threadIdX(), schedule.threads)));
  Value isInside = k.lessThan(point, loops.pointCount());
  if (schedule.threads == 1) {
    k.ifThen(isInside,
             [&] { loops.emitPoint(k, point, operands, results, status); });
    return;
  }
  // All threads meet where states are merged, so none leaves early.
  ThreadShare share(k, device, schedule.threads, isInside);
  point = k.min(point, k.i64(loops.pointCount() - 1));
  loops.emitPoint(k, point, operands, results, status, &share);
}

} // namespace minic::cuda
