// SPDX-License-Identifier: Apache-2.0
//
// Matching, lowering and emission of attention.

#include "compiler/target/cuda/attention/AttentionFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/ConstantOperands.h"
#include "compiler/target/cuda/KernelLaunch.h"
#include "compiler/target/cuda/attention/EmitAttention.h"
#include "compiler/target/cuda/attention/EnumerateAttention.h"
#include "dialects/kernel/InPlace.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace minic::cuda {

using kernel::FusionOp;

std::optional<std::string>
AttentionFamily::reject(FusionOp fusion, const DeviceProfile &profile) const {
  if (profile.smVersion < 80) {
    return "the GPU is older than sm_80";
  }
  std::string reason;
  auto attention = matchAttention(fusion, reason);
  if (failed(attention)) {
    return reason;
  }
  if (enumerateAttention(*attention, profile).empty()) {
    return "too large, or a GPU with too little shared memory";
  }
  return std::nullopt;
}

/// What the estimate is least sure of. A cluster is a split, whose line serves
/// it while it has none of its own.
static std::string kindOf(const AttentionSchedule &schedule) {
  return std::string(schedule.wgmma ? "attention wgmma " : "attention ") +
         std::to_string(schedule.rowBlock()) + "x" +
         std::to_string(schedule.keyBlock) + " " +
         std::to_string(schedule.keyWarps) +
         (schedule.rowBlock() >= 64 ? " wide" : "") +
         (schedule.split > 1 ? " split" : "") +
         (schedule.clustered ? " cluster" : "");
}

std::vector<Implementation>
AttentionFamily::enumerate(FusionOp fusion,
                           const DeviceProfile &profile) const {
  std::string reason;
  auto attention = matchAttention(fusion, reason);
  if (failed(attention)) {
    return {};
  }
  std::vector<Implementation> implementations;
  for (const EstimatedAttention &each :
       enumerateAttention(*attention, profile)) {
    implementations.push_back(
        offerDense(fusion, name(), toAttr(each.schedule, fusion.getContext()),
                   toString(each.schedule), each.microseconds));
    implementations.back().kind = kindOf(each.schedule);
  }
  return implementations;
}

/// What `fusion` and its impl say; a diagnostic where they do not fit.
static FailureOr<AttentionGeometry> analyze(FusionOp fusion) {
  std::string reason;
  auto attention = matchAttention(fusion, reason);
  if (failed(attention)) {
    return fusion.emitError("attention cannot implement this fusion: ")
           << reason;
  }
  auto schedule = parseAttentionSchedule(fusion.getImplAttr().getSchedule(),
                                         fusion.getLoc());
  if (failed(schedule)) {
    return failure();
  }
  auto geometry = AttentionGeometry::get(*attention, *schedule, reason);
  if (failed(geometry)) {
    return fusion.emitError("attention cannot implement this fusion with ")
           << toString(*schedule) << ": " << reason;
  }
  return geometry;
}

/// Where a run of smaller batch computes only its part. What makes operands
/// writes caches, which are the caller's, and has its word for indices.
static std::optional<RunBound> boundOf(FusionOp fusion,
                                       const AttentionFusion &body) {
  return body.writesBatchInOrder() && !body.makesOperands()
             ? RunBound::get(fusion, body.batch)
             : std::nullopt;
}

/// Whether something that `fusion` waits for lets later launches begin only
/// when all before it are done: then whatever came before the run is done when
/// `fusion` begins. Kernels of these families wait before they let others
/// begin, which test/codegen/cuda/*-programmatic.mlir and gemm-sm90*.mlir
/// check.
static bool isBehindLateLaunch(FusionOp fusion) {
  constexpr llvm::StringLiteral late[] = {"attention", "gemm_sm80",
                                          "gemm_sm90"};
  auto isLate = [&](kernel::ImplAttr impl) {
    // gemm_skinny's "pdl=late".
    auto pdl = impl.getSchedule() ? impl.getSchedule().getAs<IntegerAttr>("pdl")
                                  : IntegerAttr();
    return llvm::is_contained(late, impl.getFamily()) ||
           (impl.getFamily() == "gemm_skinny" && pdl && pdl.getInt() == 2);
  };
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> waiting = {fusion};
  while (!waiting.empty()) {
    for (Value operand : waiting.pop_back_val()->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || !seen.insert(producer).second) {
        continue;
      }
      auto other = dyn_cast<FusionOp>(producer);
      if (other && other.getImpl() && isLate(other.getImplAttr())) {
        return true;
      }
      waiting.push_back(producer);
    }
  }
  return false;
}

/// Whether no launch of a run but that of `fusion` writes `tensor`: a constant,
/// or an input that nothing else updates.
static bool isWrittenBefore(Value tensor, FusionOp fusion) {
  tensor = graph::skipReshapes(tensor);
  if (tensor.getDefiningOp()) {
    return bool(tensor.getDefiningOp<graph::ConstantOp>());
  }
  bool isUpdated = false;
  fusion->getParentOp()->walk([&](FusionOp other) {
    for (unsigned i = 0; other != fusion && i != other.getNumResults(); ++i) {
      auto input = kernel::getUpdatedInput(other, i);
      isUpdated |=
          input && graph::skipReshapes(other.getInputs()[*input]) == tensor;
    }
  });
  return !isUpdated;
}

/// Notes the operands that keys are copied by before earlier launches are done,
/// where all of them may be read then.
static void noteEarlyOperands(FusionOp fusion, const AttentionGeometry &g) {
  if (!g.mayCopyEarly() || !isBehindLateLaunch(fusion)) {
    return;
  }
  SmallVector<int64_t> early;
  for (unsigned operand : g.earlyOperands()) {
    if (!isWrittenBefore(fusion.getInputs()[operand], fusion)) {
      return;
    }
    early.push_back(operand);
  }
  noteConstantOperands(fusion, early);
}

/// Whether they are noted.
static bool copiesEarly(FusionOp fusion, const AttentionGeometry &g) {
  llvm::SmallBitVector noted = constantOperands(fusion);
  return g.mayCopyEarly() &&
         llvm::all_of(g.earlyOperands(),
                      [&](unsigned operand) { return noted[operand]; });
}

LogicalResult AttentionFamily::lower(FusionOp fusion,
                                     plan::PlanBuilder &plan) const {
  auto g = analyze(fusion);
  if (failed(g)) {
    return failure();
  }
  KernelLaunch launch;
  launch.grid = {g->blocks()};
  if (g->schedule.clustered) {
    launch.grid = {g->blocks() * g->schedule.split};
    launch.clusterX = g->schedule.split;
  }
  if (g->meetsInMemory()) {
    launch.grid.push_back(g->schedule.split);
    launch.workspace = {plan.buffer(g->workspaceBytes()),
                        plan.zeroedBuffer(g->counterBytes())};
  }
  if (g->fusion.makesOperands()) {
    launch.workspace.push_back(plan.statusWord());
  }
  launch.threads = g->schedule.threads();
  launch.sharedBytes = g->sharedBytes();
  launch.programmatic = g->schedule.programmatic;
  launch.label = getLaunchLabel(name(), fusion);
  if (auto bound = boundOf(fusion, g->fusion)) {
    launch.runSize = plan.sizeWord(bound->dim);
  }
  noteEarlyOperands(fusion, *g);
  addLaunch(plan, fusion, plan.kernel(fusion, toString(g->schedule)), launch);
  return success();
}

LogicalResult AttentionFamily::emit(plan::KernelOp kernel,
                                    const DeviceProfile &profile,
                                    ModuleOp device) const {
  auto fusion = cast<FusionOp>(kernel.getBody().front().front());
  auto g = analyze(fusion);
  if (failed(g)) {
    return failure();
  }
  if (failed(checkProgrammatic(kernel, g->schedule.programmatic, profile))) {
    return failure();
  }
  if (g->schedule.clustered && profile.smVersion < 90) {
    return kernel.emitError("attention cannot run ")
           << toString(g->schedule) << " on " << profile.cpu
           << ": clusters need sm_90";
  }
  if (g->schedule.wgmma && profile.cpu != "sm_90a") {
    return kernel.emitError("attention cannot run ")
           << toString(g->schedule) << " on " << profile.cpu
           << ": wgmma needs sm_90a";
  }
  int64_t pointers =
      int64_t(fusion.getInputs().size() + fusion.getNumResults());
  emitAttention(kernel.getLoc(), device,
                cast<StringAttr>(kernel.getEntries()[0]).getValue(), *g,
                pointers, boundOf(fusion, g->fusion), copiesEarly(fusion, *g));
  return success();
}

} // namespace minic::cuda
