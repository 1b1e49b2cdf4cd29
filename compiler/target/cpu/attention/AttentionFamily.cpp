// SPDX-License-Identifier: Apache-2.0
//
// Matching and lowering of attention.

#include "compiler/target/cpu/attention/AttentionFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/KernelLaunch.h"
#include "compiler/target/cpu/attention/EmitAttention.h"

using namespace mlir;

namespace minic::cpu {

using kernel::FusionOp;

/// The attention that this family takes, or why it does not.
static FailureOr<AttentionFusion> match(FusionOp fusion, std::string &reason) {
  FailureOr<AttentionFusion> body = AttentionFusion::get(fusion, reason);
  if (failed(body)) {
    return failure();
  }
  if (body->makesOperands()) {
    reason = "attention that makes its operands";
    return failure();
  }
  if (body->valueDepth > 1 && body->result.strides[3] != 1) {
    reason = "elements of a row of the result are no neighbours";
    return failure();
  }
  return body;
}

bool AttentionFamily::isFor(Operation *anchor) const {
  return isa_and_present<graph::AttentionOp>(anchor);
}

std::optional<std::string>
AttentionFamily::reject(FusionOp fusion, const DeviceProfile &profile) const {
  if (!profile.has("avx2") || !profile.has("fma")) {
    return "the CPU lacks AVX2 or FMA";
  }
  std::string reason;
  if (failed(match(fusion, reason))) {
    return reason;
  }
  return std::nullopt;
}

std::vector<Implementation>
AttentionFamily::enumerate(FusionOp fusion,
                           const DeviceProfile &profile) const {
  std::string reason;
  auto body = match(fusion, reason);
  MLIRContext *context = fusion.getContext();
  std::vector<Implementation> implementations;
  for (const auto &[schedule, us] : enumerateSchedules(*body, profile)) {
    implementations.push_back(offerDense(
        fusion, name(), toAttr(schedule, context), toString(schedule), us));
  }
  return implementations;
}

/// Where a run of smaller batch computes only its part. Tiles are numbered by
/// the batch first.
static std::optional<RunBound> boundOf(FusionOp fusion,
                                       const AttentionFusion &body) {
  return body.writesBatchInOrder() ? RunBound::get(fusion, body.batch)
                                   : std::nullopt;
}

/// Of both forms of a kernel that has two.
static int64_t scratchBytes(const AttentionFusion &body,
                            const AttentionSchedule &schedule) {
  int64_t bytes = AttentionTiles(body, schedule).scratchBytes();
  return schedule.tiles
             ? std::max(
                   bytes,
                   AttentionTiles(body, withoutTiles(schedule)).scratchBytes())
             : bytes;
}

LogicalResult AttentionFamily::lower(FusionOp fusion,
                                     plan::PlanBuilder &plan) const {
  std::string reason;
  auto body = match(fusion, reason);
  if (failed(body)) {
    return fusion.emitError("attention cannot implement this: ") << reason;
  }
  FailureOr<AttentionSchedule> schedule = parseAttentionSchedule(fusion);
  if (failed(schedule)) {
    return failure();
  }
  AttentionTiles tiles(*body, *schedule);
  plan::KernelOp kernel = plan.kernel(fusion, toString(*schedule));
  KernelLaunch launch = {.tiles = tiles.count(),
                         .scratchBytes = scratchBytes(*body, *schedule),
                         .label = toString(*schedule)};
  if (tiles.split > 1) {
    int64_t whole = tiles.count() / tiles.split;
    launch.workspace = {plan.buffer(whole * tiles.stateBytes()),
                        plan.zeroedBuffer(whole * 4)};
  }
  if (auto bound = boundOf(fusion, *body)) {
    launch.runSize = plan.sizeWord(bound->dim);
  }
  addLaunch(plan, fusion, kernel, launch);
  return success();
}

LogicalResult AttentionFamily::emit(plan::KernelOp kernel,
                                    const DeviceProfile &profile,
                                    ModuleOp device) const {
  auto fusion = cast<FusionOp>(kernel.getBody().front().front());
  std::string reason;
  auto body = match(fusion, reason);
  FailureOr<AttentionSchedule> schedule = parseAttentionSchedule(fusion);
  if (failed(body) || failed(schedule)) {
    return kernel.emitError("internal error: not an attention: ") << reason;
  }
  int64_t operands = int64_t(fusion.getInputs().size()),
          results = int64_t(fusion.getNumResults());
  // LLVM ends the process where an instruction is not of the target.
  if (schedule->tiles && !takesTiles(*body, profile)) {
    return fusion.emitError("attention by tiles needs bf16, and the CPU "
                            "features amx-tile, amx-bf16 and avx512bf16");
  }
  auto emitForm = [&](StringRef entry, const AttentionSchedule &form) {
    AttentionTiles tiles(*body, form);
    for (TileShape &shape : tiles.shapes) {
      shape.isWide = profile.has("avx512f");
    }
    emitAttention(
        device, kernel.getLoc(), entry, *body, tiles, operands, results,
        BoundedRows::get(boundOf(fusion, *body),
                         operands + results + (tiles.split > 1 ? 2 : 0)));
  };
  StringRef entry = cast<StringAttr>(kernel.getEntries()[0]).getValue();
  emitForm(entry, *schedule);
  if (schedule->tiles) {
    emitForm(withoutAmxName(entry), withoutTiles(*schedule));
  }
  return success();
}

} // namespace minic::cpu
