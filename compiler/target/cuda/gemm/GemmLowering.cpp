// SPDX-License-Identifier: Apache-2.0
//
// Layouts, launches, parameters and the last step.

#include "compiler/target/cuda/gemm/GemmLowering.h"

#include "compiler/target/cuda/gemm/ConvolutionView.h"
#include "dialects/kernel/Kernel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace minic::cuda {

SmallVector<Attribute> operandLayouts(kernel::FusionOp fusion,
                                      ArrayRef<const GemmOperand *> matrices) {
  SmallVector<Attribute> layouts(fusion.getInputs().size(),
                                 UnitAttr::get(fusion.getContext()));
  for (const GemmOperand *matrix : matrices) {
    layouts[size_t(matrix->argument)] = matrix->layout;
  }
  return layouts;
}

LogicalResult checkOperandLayouts(kernel::FusionOp fusion,
                                  ArrayRef<const GemmOperand *> matrices) {
  for (const GemmOperand *matrix : matrices) {
    auto type = cast<RankedTensorType>(
        fusion.getInputs()[size_t(matrix->argument)].getType());
    Attribute expected = matrix->isDense() ? Attribute() : matrix->layout;
    if (kernel::getLayout(type) != expected) {
      return fusion.emitError(fusion.getImplAttr().getFamily())
             << " expects operand " << matrix->argument << " in layout "
             << matrix->layout << ", got " << type;
    }
  }
  return success();
}

std::optional<RunBound> boundOf(kernel::FusionOp fusion,
                                const GemmGeometry &geometry) {
  return geometry.raster.batches == 1 ? RunBound::get(fusion, geometry.gemm.m)
                                      : std::nullopt;
}

void addGemmLaunch(kernel::FusionOp fusion, plan::PlanBuilder &plan,
                   const GemmGeometry &geometry, const GemmSchedule &schedule,
                   KernelLaunch launch) {
  if (geometry.blocks() == 0) {
    return;
  }
  if (launch.grid.empty()) {
    launch.grid = {geometry.blocks()};
  }
  launch.programmatic = schedule.programmatic;
  if (schedule.clustered) {
    launch.clusterX = schedule.splitK;
  }
  if (geometry.raster.meetsInMemory()) {
    launch.workspace = {plan.buffer(geometry.workspaceBytes()),
                        plan.zeroedBuffer(geometry.counterBytes())};
  }
  if (auto bound = boundOf(fusion, geometry)) {
    launch.runSize = plan.sizeWord(bound->dim);
  }
  noteConstantOperands(fusion);
  plan::KernelOp kernel = plan.kernel(fusion, launch.label);
  addLaunch(plan, fusion, kernel, launch);
}

KernelEntry GemmEntry::create(OpBuilder &builder, Location loc, ModuleOp device,
                              StringRef name, const TileRaster &raster,
                              KernelLaunchBounds bounds) const {
  bounds.pointers = operands() + int64_t(shape.results.size()) +
                    (raster.meetsInMemory() ? 2 : 0) + (bound ? 1 : 0);
  if (raster.clustered) {
    bounds.clusterX = raster.splits;
  }
  return KernelEntry::create(builder, loc, device, name, bounds);
}

Value GemmEntry::rowsOfRun(CudaKernelBuilder &k, KernelEntry entry,
                           const TileRaster &raster) const {
  int64_t word = operands() + int64_t(shape.results.size()) +
                 (raster.meetsInMemory() ? 2 : 0);
  return bound->emitCount(k, entry.parameter(word), shape.gemm->m);
}

void GemmEntry::keepBlocksOfRun(CudaKernelBuilder &k, KernelEntry entry,
                                const TileRaster &raster, int64_t rows,
                                int64_t neighbours) const {
  if (!bound) {
    return;
  }
  // The word is read ahead of any wait: no launch of the plan writes it.
  Value needed = rowsOfRun(k, entry, raster);
  Value block = k.blockIdX(), first;
  for (int64_t i = 0; i != neighbours; ++i) {
    Value each = neighbours == 1
                     ? block
                     : k.add(k.mul(k.div(block, neighbours), neighbours), i);
    Value tile = raster.locate(k, each).tileM;
    first = first ? k.min(first, tile) : tile;
  }
  auto branch =
      scf::IfOp::create(k.b, k.loc, k.lessThan(k.mul(first, rows), needed),
                        /*withElseRegion=*/false);
  k.b.setInsertionPointToStart(branch.thenBlock());
}

SmallVector<Value> GemmEntry::operandsOf(KernelEntry entry) const {
  SmallVector<Value> parameters;
  for (int64_t i = 0; i != operands(); ++i) {
    parameters.push_back(entry.parameter(i));
  }
  return parameters;
}

EpilogueEmitter GemmEntry::epilogue(CudaKernelBuilder &k,
                                    KernelEntry entry) const {
  SmallVector<Value> results;
  for (size_t i = 0; i != shape.results.size(); ++i) {
    results.push_back(entry.parameter(operands() + int64_t(i)));
  }
  EpilogueEmitter made(k, shape, operandsOf(entry), results);
  if (evictsResults) {
    made.setPolicy(k.evictFirst());
  }
  return made;
}

TileEpilogue GemmEntry::tileEpilogue(CudaKernelBuilder &k, KernelEntry entry,
                                     const TileOfSums &tile,
                                     const TileRaster &raster,
                                     const TileIndex &index,
                                     Value thread) const {
  return TileEpilogue(k, tile, raster, shape, thread, index,
                      epilogue(k, entry));
}

void GemmEntry::prefetchBias(CudaKernelBuilder &k, KernelEntry entry,
                             const TileIndex &index, int64_t columns,
                             Value thread) const {
  auto bias = dyn_cast_if_present<BlockArgument>(shape.gemm->bias);
  if (!bias || !isConstant(bias)) {
    return;
  }
  // Columns may be pixels, or channels of one group.
  if (readsImages(shape) &&
      cast<RankedTensorType>(bias.getType()).getDimSize(0) != shape.gemm->n) {
    return;
  }
  constexpr int64_t lineBytes = 128;
  int64_t bytes = kernel::getElementBytes(getElementTypeOrSelf(bias));
  // A tile may begin within a line.
  int64_t lines = int64_t(llvm::divideCeil(columns * bytes, lineBytes)) + 1;
  k.ifThen(k.lessThan(thread, lines), [&] {
    Value offset =
        k.add(k.mul(index.tileN, columns * bytes), k.mul(thread, lineBytes));
    offset = k.min(offset, k.i32((shape.gemm->n - 1) * bytes));
    Value at = k.advance(entry.parameter(bias.getArgNumber()), offset,
                         k.b.getI8Type());
    k.prefetchToL2(at);
  });
}

void GemmEntry::finish(KernelEntry entry, TileEpilogue &epilogue,
                       const TileRaster &raster, Value shared) const {
  int64_t next = operands() + int64_t(shape.results.size());
  Value workspace, counters;
  if (raster.meetsInMemory()) {
    workspace = entry.parameter(next);
    counters = entry.parameter(next + 1);
  }
  epilogue.finish(shared, workspace, counters);
}

} // namespace minic::cuda
