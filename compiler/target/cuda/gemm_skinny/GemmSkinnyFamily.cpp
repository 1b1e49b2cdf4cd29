// SPDX-License-Identifier: Apache-2.0
//
// Matching, lowering and emission of gemm_skinny.

#include "compiler/target/cuda/gemm_skinny/GemmSkinnyFamily.h"

#include "compiler/target/codegen/AnalyzeFusion.h"
#include "compiler/target/cuda/ConstantOperands.h"
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

static std::string kindOf(const SkinnySchedule &schedule, bool makesLhs) {
  bool isPlain = schedule.math == SkinnyMath::Ffma;
  return "gemm_skinny " + nameOf(schedule.math).str() + " " +
         std::to_string(schedule.columns) +
         (isPlain && schedule.hasOneBatch() ? " one" : "") +
         (schedule.clustered   ? " cluster"
          : schedule.split > 1 ? " split"
                               : "") +
         (makesLhs ? " lhs" : "");
}

std::vector<Implementation>
GemmSkinnyFamily::enumerate(kernel::FusionOp fusion,
                            const DeviceProfile &profile) const {
  std::string reason;
  FailureOr<SkinnyFusion> matched = matchSkinny(fusion, &reason);
  if (failed(matched)) {
    return {};
  }
  MLIRContext *context = fusion.getContext();
  size_t rhs = size_t(matched->rhs());
  std::vector<Implementation> implementations;
  for (const EstimatedSkinny &estimated : enumerateSkinny(*matched, profile)) {
    Implementation implementation;
    implementation.impl = kernel::ImplAttr::get(
        context, name(), toAttr(estimated.schedule, context));
    implementation.operandLayouts.assign(fusion.getInputs().size(),
                                         UnitAttr::get(context));
    implementation.operandLayouts[rhs] = getWeightLayout(matched->shape);
    implementation.name = toString(estimated.schedule);
    implementation.estimateUs = estimated.microseconds;
    implementation.kind =
        kindOf(estimated.schedule, matched->prologue.has_value());
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
  auto &[matched, g] = *analyzed;
  size_t rhs = size_t(matched.rhs());
  auto type = cast<RankedTensorType>(fusion.getInputs()[rhs].getType());
  Attribute expected = getWeightLayout(matched.shape);
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
  if (g.schedule.clustered) {
    launch.grid = {g.tiles() * g.schedule.split};
    launch.clusterX = g.schedule.split;
  }
  if (g.meetsInMemory()) {
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
  if (g.makesLhs) {
    noteConstantOperands(fusion);
  }
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
  auto &[matched, g] = *analyzed;
  if ((g.schedule.programmatic || g.schedule.clustered) &&
      profile.smVersion < 90) {
    return fusion.emitError("gemm_skinny pdl and clusters need sm_90, got ")
           << profile.cpu;
  }
  emitSkinny(device, fusion.getLoc(),
             cast<StringAttr>(kernel.getEntries()[0]).getValue(), matched, g,
             constantOperands(fusion));
  return success();
}

} // namespace minic::cuda
