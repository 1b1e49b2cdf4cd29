// SPDX-License-Identifier: Apache-2.0
//
// How fusions with a contraction become launches of GEMM kernels, and how such
// a kernel ends: what does not depend on its pipeline.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMLOWERING_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMLOWERING_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/codegen/RunBound.h"
#include "compiler/target/cuda/ConstantOperands.h"
#include "compiler/target/cuda/KernelLaunch.h"
#include "compiler/target/cuda/gemm/EstimatedSchedule.h"
#include "compiler/target/cuda/gemm/GemmGeometry.h"
#include "compiler/target/cuda/gemm/TileEpilogue.h"

namespace minic::cuda {

/// The layout per operand of `fusion`, where `matrices` are what is copied.
llvm::SmallVector<mlir::Attribute>
operandLayouts(kernel::FusionOp fusion,
               llvm::ArrayRef<const GemmOperand *> matrices);

/// What the family `name` offers for `fusion`: `schedules`, each of the kind
/// that `kindOf` says.
template <typename Geometry, typename Schedule, typename KindOf>
std::vector<Implementation>
implementationsOf(kernel::FusionOp fusion, const kernel::FusionShape &shape,
                  llvm::StringRef name,
                  const std::vector<Estimated<Schedule>> &schedules,
                  KindOf kindOf) {
  mlir::MLIRContext *context = fusion.getContext();
  std::vector<Implementation> implementations;
  for (const Estimated<Schedule> &estimated : schedules) {
    auto geometry = Geometry::get(shape, estimated.schedule, nullptr);
    Implementation implementation;
    implementation.impl = kernel::ImplAttr::get(
        context, name, toAttribute(estimated.schedule, context));
    implementation.operandLayouts = operandLayouts(fusion, geometry->copied());
    implementation.name = toString(estimated.schedule);
    implementation.estimateUs = estimated.microseconds;
    implementation.kind = kindOf(estimated.schedule);
    implementations.push_back(std::move(implementation));
  }
  return implementations;
}

/// Whether the fusion's operands lie so; else a diagnostic.
mlir::LogicalResult
checkOperandLayouts(kernel::FusionOp fusion,
                    llvm::ArrayRef<const GemmOperand *> matrices);

/// Where a run of fewer rows computes only these: their bound.
std::optional<RunBound> boundOf(kernel::FusionOp fusion,
                                const GemmGeometry &geometry);

/// Adds the launch of `fusion` with `schedule`, if a result has elements. Of
/// `launch` threads, shared memory, label and tensor maps are the caller's, a
/// cluster that does not share tiles, and a grid that is not a block for each.
void addGemmLaunch(kernel::FusionOp fusion, plan::PlanBuilder &plan,
                   const GemmGeometry &geometry, const GemmSchedule &schedule,
                   KernelLaunch launch);

/// KernelFamily::lower of a family, from what analyzeFusion said of `fusion`.
/// `describe(geometry, launch)`: what else the family's launches have.
template <typename Analyzed, typename Describe>
mlir::LogicalResult lowerGemm(kernel::FusionOp fusion, plan::PlanBuilder &plan,
                              const mlir::FailureOr<Analyzed> &analyzed,
                              Describe describe) {
  if (failed(analyzed)) {
    return mlir::failure();
  }
  const auto &[shape, geometry] = *analyzed;
  if (failed(checkOperandLayouts(fusion, geometry.copied()))) {
    return mlir::failure();
  }
  KernelLaunch launch;
  launch.threads = geometry.schedule.threads();
  launch.sharedBytes = geometry.sharedBytes();
  launch.label = toString(geometry.schedule);
  describe(geometry, launch);
  addGemmLaunch(fusion, plan, geometry, geometry.schedule, launch);
  return mlir::success();
}
template <typename Analyzed>
mlir::LogicalResult lowerGemm(kernel::FusionOp fusion, plan::PlanBuilder &plan,
                              const mlir::FailureOr<Analyzed> &analyzed) {
  return lowerGemm(fusion, plan, analyzed, [](const auto &, KernelLaunch &) {});
}

/// KernelFamily::emit, likewise; the family's emitGemm takes its geometry.
template <typename Analyzed>
mlir::LogicalResult
emitGemmKernel(plan::KernelOp kernel, kernel::FusionOp fusion,
               const mlir::FailureOr<Analyzed> &analyzed,
               const DeviceProfile &profile, mlir::ModuleOp device) {
  if (failed(analyzed)) {
    return mlir::failure();
  }
  const auto &[shape, geometry] = *analyzed;
  if (auto why = geometry.misfit(profile)) {
    return fusion.emitError(fusion.getImplAttr().getFamily())
           << " cannot run " << toString(geometry.schedule) << " on "
           << profile.name << ": " << *why;
  }
  emitGemm(fusion.getLoc(), device,
           cast<mlir::StringAttr>(kernel.getEntries()[0]).getValue(), shape,
           geometry, constantOperands(fusion), boundOf(fusion, geometry));
  return mlir::success();
}

/// A GEMM kernel's parameters: `operands` operands and shape.results' results
/// of the fusion, then the workspace and the counters of blocks that meet in
/// memory, then the word with a run's rows where there is a bound.
struct GemmEntry {
  const kernel::FusionShape &shape;
  /// A bit for each operand, set where no launch writes it.
  llvm::SmallBitVector constants;
  std::optional<RunBound> bound = std::nullopt;
  /// L2 gives results up before other lines.
  bool evictsResults = false;

  int64_t operands() const { return int64_t(constants.size()); }
  bool isConstant(mlir::Value value) const {
    auto argument = dyn_cast_if_present<mlir::BlockArgument>(value);
    return argument && constants.test(argument.getArgNumber());
  }

  /// `bounds`: threads and what else the family chooses.
  KernelEntry create(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::ModuleOp device, llvm::StringRef name,
                     const TileRaster &raster, KernelLaunchBounds bounds) const;
  /// How many rows of the result the run needs, an i32; there is a bound.
  mlir::Value rowsOfRun(CudaKernelBuilder &k, KernelEntry entry,
                        const TileRaster &raster) const;
  /// Where there is a bound, what is built from here on is for blocks whose
  /// tiles, of `rows` rows, begin with a row of the run; others end. All of
  /// `neighbours` blocks in a row go on or end together.
  void keepBlocksOfRun(CudaKernelBuilder &k, KernelEntry entry,
                       const TileRaster &raster, int64_t rows,
                       int64_t neighbours = 1) const;
  llvm::SmallVector<mlir::Value> operandsOf(KernelEntry entry) const;
  /// From sums to results, for the kernel that `k` stands in.
  EpilogueEmitter epilogue(CudaKernelBuilder &k, KernelEntry entry) const;
  /// The same for a whole tile, by all threads. `raster` and `index` must
  /// outlive it.
  TileEpilogue tileEpilogue(CudaKernelBuilder &k, KernelEntry entry,
                            const TileOfSums &tile, const TileRaster &raster,
                            const TileIndex &index, mlir::Value thread) const;
  /// Asks L2 for the bias of the tile at `index`, of `columns` columns, where
  /// it is constant: it is needed last, when nothing hides the way from memory.
  void prefetchBias(CudaKernelBuilder &k, KernelEntry entry,
                    const TileIndex &index, int64_t columns,
                    mlir::Value thread) const;
  /// The tile of sums at `shared`, which a barrier has made visible, becomes
  /// results.
  void finish(KernelEntry entry, TileEpilogue &epilogue,
              const TileRaster &raster, mlir::Value shared) const;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMLOWERING_H
