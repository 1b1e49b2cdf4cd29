// SPDX-License-Identifier: Apache-2.0
//
// Matching, lowering and emission of gemm_skinny.

#include "compiler/target/cuda/gemm_skinny/GemmSkinnyFamily.h"

#include "compiler/target/codegen/AnalyzeFusion.h"
#include "compiler/target/cuda/KernelLaunch.h"
#include "compiler/target/cuda/gemm_skinny/EmitSkinny.h"
#include "compiler/target/cuda/gemm_skinny/EnumerateSkinny.h"

using namespace mlir;

namespace minic::cuda {

static auto analyze(kernel::FusionOp fusion) {
  return analyzeFusion<SkinnyGeometry>(fusion, matchSkinny,
                                       parseSkinnySchedule);
}

std::optional<std::string>
GemmSkinnyFamily::reject(kernel::FusionOp fusion, const DeviceProfile &) const {
  std::string reason;
  if (failed(matchSkinny(fusion, &reason))) {
    return reason;
  }
  return std::nullopt;
}

static std::string kindOf(const SkinnySchedule &schedule) {
  return "gemm_skinny " + std::to_string(schedule.columns) +
         (schedule.split > 1 ? " split" : "");
}

std::vector<Implementation>
GemmSkinnyFamily::enumerate(kernel::FusionOp fusion,
                            const DeviceProfile &profile) const {
  std::string reason;
  FailureOr<kernel::FusionShape> shape = matchSkinny(fusion, &reason);
  if (failed(shape)) {
    return {};
  }
  MLIRContext *context = fusion.getContext();
  size_t rhs = cast<BlockArgument>(shape->gemm->rhs).getArgNumber();
  std::vector<Implementation> implementations;
  for (const EstimatedSkinny &estimated : enumerateSkinny(*shape, profile)) {
    Implementation implementation;
    implementation.impl = kernel::ImplAttr::get(
        context, name(), toAttr(estimated.schedule, context));
    implementation.operandLayouts.assign(fusion.getInputs().size(),
                                         UnitAttr::get(context));
    implementation.operandLayouts[rhs] = getWeightLayout(*shape);
    implementation.name = toString(estimated.schedule);
    implementation.estimateUs = estimated.microseconds;
    implementation.kind = kindOf(estimated.schedule);
    implementations.push_back(std::move(implementation));
  }
  return implementations;
}

/// True where nothing in a run writes `tensor`.
static bool isConstant(Value tensor) {
  Operation *producer = tensor.getDefiningOp();
  if (auto relayout = dyn_cast_or_null<kernel::RelayoutOp>(producer)) {
    return isConstant(relayout.getInput());
  }
  return isa_and_nonnull<graph::ConstantOp>(producer);
}

LogicalResult GemmSkinnyFamily::lower(kernel::FusionOp fusion,
                                      plan::PlanBuilder &plan) const {
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  auto &[shape, g] = *analyzed;
  size_t rhs = cast<BlockArgument>(g.gemm.rhs).getArgNumber();
  auto type = cast<RankedTensorType>(fusion.getInputs()[rhs].getType());
  Attribute expected = getWeightLayout(shape);
  Attribute layout = type.getEncoding();
  if ((layout ? layout : UnitAttr::get(type.getContext())) != expected) {
    return fusion.emitError("gemm_skinny expects operand ")
           << rhs << " in layout " << expected << ", got " << type;
  }
  if (g.gemm.m == 0 || g.gemm.n == 0) {
    return success(); // the result has no elements
  }
  KernelLaunch launch;
  launch.grid = {g.tiles()};
  if (g.schedule.split > 1) {
    launch.grid.push_back(g.schedule.split);
    launch.workspace = {plan.buffer(g.workspaceBytes()),
                        plan.zeroedBuffer(g.counterBytes())};
  }
  launch.threads = g.threads();
  launch.sharedBytes = g.sharedBytes();
  // Weights that an earlier launch writes must not be read before it is done.
  launch.programmatic =
      g.schedule.programmatic && isConstant(fusion.getInputs()[rhs]);
  launch.label = toString(g.schedule);
  addLaunch(plan, fusion, plan.kernel(fusion, launch.label), launch);
  return success();
}

LogicalResult GemmSkinnyFamily::emit(plan::KernelOp kernel,
                                     const DeviceProfile &profile,
                                     ModuleOp device) const {
  auto fusion = cast<kernel::FusionOp>(kernel.getBody().front().front());
  auto analyzed = analyze(fusion);
  if (failed(analyzed)) {
    return failure();
  }
  auto &[shape, g] = *analyzed;
  if (g.schedule.programmatic && profile.smVersion < 90) {
    return fusion.emitError("gemm_skinny pdl needs sm_90, got ") << profile.cpu;
  }
  emitSkinny(device, fusion.getLoc(),
             cast<StringAttr>(kernel.getEntries()[0]).getValue(), shape, g,
             int64_t(fusion.getInputs().size()));
  return success();
}

} // namespace minic::cuda
