// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of attention.

#include "compiler/target/cuda/cudnn/CudnnAttention.h"

#include "compiler/target/codegen/AttentionFusion.h"
#include "compiler/target/cuda/LaunchTime.h"
#include "compiler/target/cuda/LibrarySchedule.h"
#include "dialects/plan/CallWriter.h"

#include <cmath>

using namespace mlir;

namespace minic::cuda {

using graph::Causal;
using kernel::FusionOp;
using Access = AttentionFusion::Access;

/// Of one head.
constexpr int64_t kMostDepth = 256;
/// Elements of 16 bits in a vector of 16 bytes. cuDNN moves vectors alone and
/// does not look whether rows are aligned to them.
constexpr int64_t kVector = 8;

namespace {

/// What a tensor of the call is.
struct Operand {
  Access access;
  SmallVector<int64_t> dims;

  /// The access's, and dense ones where a dimension has one index only.
  SmallVector<int64_t> strides() const {
    SmallVector<int64_t> all(4);
    int64_t dense = 1;
    for (size_t i = 4; i-- > 0; dense = all[i] * dims[i]) {
      all[i] = dims[i] == 1 ? dense : access.strides[i];
    }
    return all;
  }
};

struct Match {
  AttentionFusion body;
  Operand query, key, value, result;
  std::optional<Operand> bias;
  Causal causal;
};

} // namespace

/// Null, or why cuDNN would not find its elements.
static const char *rejectLayout(const Operand &operand) {
  const auto &[access, dims] = operand;
  if (dims[3] != 1 && access.strides[3] != 1) {
    return "a head whose elements are not contiguous";
  }
  bool isAligned = access.offset % kVector == 0;
  for (size_t i = 0; i != 3; ++i) {
    if (dims[i] != 1 && access.strides[i] == 0) {
      return "heads or rows that are read several times";
    }
    isAligned &= dims[i] == 1 || access.strides[i] % kVector == 0;
  }
  return isAligned ? nullptr : "rows that are not aligned to 16 bytes";
}

/// The mask, of one index where it is the same for all.
static Operand biasOf(const AttentionFusion &a) {
  Operand bias{*a.mask, {a.batch, a.heads, a.rows, a.keys}};
  for (size_t i = 0; i != 4; ++i) {
    bias.dims[i] = bias.access.strides[i] == 0 ? 1 : bias.dims[i];
  }
  return bias;
}

static const char *rejectBias(const Operand &bias, const AttentionFusion &a) {
  const auto &[access, dims] = bias;
  if (access.storage.isInteger(1)) {
    return "cuDNN is not asked for attention with a mask of i1";
  }
  if (dims[3] != a.keys || (a.keys != 1 && access.strides[3] != 1)) {
    return "a mask whose keys are not contiguous";
  }
  return access.offset * kernel::getElementBytes(access.storage) % 16 == 0
             ? nullptr
             : "a mask that is not aligned to 16 bytes";
}

static FailureOr<Match> match(FusionOp fusion, std::string &reason) {
  auto fail = [&](const char *why) {
    reason = why;
    return failure();
  };
  auto body = AttentionFusion::get(fusion, reason);
  if (failed(body)) {
    return failure();
  }
  const AttentionFusion &a = *body;
  if (a.makesOperands()) {
    return fail("attention that makes its operands");
  }
  Type type = a.query.storage;
  if (!(type.isBF16() || type.isF16()) || a.key.storage != type ||
      a.value.storage != type || a.result.storage != type) {
    return fail("query, key, value and result that are not all bf16 or all "
                "f16");
  }
  if (a.depth % kVector != 0 || a.valueDepth % kVector != 0 ||
      a.depth > kMostDepth || a.valueDepth > kMostDepth) {
    return fail("cuDNN takes heads of 8, 16, ... up to 256 elements");
  }
  if (a.keyLength || a.window || a.softCap || a.logSumExp) {
    return fail("cuDNN is not asked for attention with a key_length, a window, "
                "a soft_cap or a log_sum_exp");
  }
  if (!std::isfinite(float(a.scale))) {
    return fail("a scale that is no finite f32");
  }
  // One query at the last key has all of them before it.
  bool isLast = a.causal == Causal::LowerRight && a.rows == 1;
  Causal causal = isLast ? Causal::None : a.causal;
  if (causal == Causal::LowerRight && a.rows > a.keys) {
    return fail("queries without keys, whose result cuDNN does not define");
  }
  if (a.mask && causal == Causal::LowerRight) {
    return fail("cuDNN is not asked for a mask beside causal<lower_right>");
  }
  constexpr int64_t most = INT32_MAX;
  if (a.rows > most || a.keys > most) {
    return fail("more rows or keys than 32 bits number");
  }
  Match match{a,
              {a.query, {a.batch, a.heads, a.rows, a.depth}},
              {a.key, {a.batch, a.keyHeads, a.keys, a.depth}},
              {a.value, {a.batch, a.keyHeads, a.keys, a.valueDepth}},
              {a.result, {a.batch, a.heads, a.rows, a.valueDepth}},
              std::nullopt,
              causal};
  for (const Operand *each :
       {&match.query, &match.key, &match.value, &match.result}) {
    if (const char *why = rejectLayout(*each)) {
      return fail(why);
    }
  }
  if (a.mask) {
    match.bias = biasOf(a);
    if (const char *why = rejectBias(*match.bias, a)) {
      return fail(why);
    }
  }
  return match;
}

std::optional<std::string>
CudnnAttention::reject(FusionOp fusion, const DeviceProfile &profile) const {
  if (profile.smVersion < 80) {
    return "the GPU is older than sm_80";
  }
  std::string reason;
  return succeeded(match(fusion, reason)) ? std::nullopt
                                          : std::optional(reason);
}

static double estimateUs(const AttentionFusion &a, Causal causal,
                         const DeviceProfile &profile) {
  double queries = double(a.batch * a.heads * a.rows);
  double keys = double(a.batch * a.keyHeads * a.keys);
  double depth = double(a.depth + a.valueDepth);
  double share = causal == Causal::None ? 1
                                        : 1 - double(std::min(a.rows, a.keys)) /
                                                  (2 * double(a.keys));
  double flops = 2 * queries * double(a.keys) * depth * share;
  double bytes = 2 * (queries + keys) * depth;
  double computeUs = profile.tensorGflops16 > 0
                         ? flops / (0.5 * profile.tensorGflops16) * 1e-3
                         : 0;
  double memoryUs =
      profile.memoryGBs > 0 ? bytes / (0.8 * profile.memoryGBs) * 1e-3 : 0;
  return std::max(computeUs, memoryUs) + launchUs;
}

std::vector<Implementation>
CudnnAttention::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  std::string reason;
  auto matched = match(fusion, reason);
  if (failed(matched)) {
    return {};
  }
  MLIRContext *context = fusion.getContext();
  LibrarySchedule schedule;
  schedule.scratchBytes = libraryScratchBytes(profile);
  Implementation implementation;
  implementation.impl =
      kernel::ImplAttr::get(context, name(), schedule.toAttribute(context));
  implementation.operandLayouts.assign(fusion.getInputs().size(),
                                       UnitAttr::get(context));
  implementation.name = name().str();
  // Without measuring, kernels of minic's own go first: they are loaded in no
  // time, and keep all that graph.attention promises.
  implementation.estimateUs =
      2 * estimateUs(matched->body, matched->causal, profile) + 2;
  return {implementation};
}

std::string CudnnAttention::opsThatLoseNan(FusionOp fusion) const {
  std::string reason;
  auto matched = match(fusion, reason);
  bool leavesOut =
      succeeded(matched) && (matched->causal != Causal::None || matched->bias);
  return leavesOut ? "attention" : "";
}

LogicalResult CudnnAttention::lower(FusionOp fusion,
                                    plan::PlanBuilder &plan) const {
  auto schedule = LibrarySchedule::parse(fusion.getImplAttr().getSchedule(),
                                         cudnnGrammar, fusion.getLoc());
  if (failed(schedule)) {
    return failure();
  }
  std::string reason;
  auto matched = match(fusion, reason);
  if (failed(matched)) {
    return fusion.emitError(name()) << " cannot implement this: " << reason;
  }
  if (failed(checkDenseOperands(fusion, name()))) {
    return failure();
  }
  plan::CallWriter call(fusion, plan, "cudnn", "attention");
  auto add = [&](StringRef role, Value tensor, const Operand &operand,
                 plan::Access access) {
    Value address = plan.addressOf(tensor);
    if (operand.access.offset != 0) {
      int64_t bytes = operand.access.offset *
                      kernel::getElementBytes(operand.access.storage);
      address = plan::ViewOp::create(plan.builder(), fusion.getLoc(),
                                     address.getType(), address, bytes);
    }
    call.operand(role, call.view(call.address(address, access),
                                 operand.access.storage, operand.dims,
                                 operand.strides()));
  };
  auto read = [&](StringRef role, const Operand &operand) {
    add(role, fusion.getInputs()[operand.access.argument], operand,
        plan::Access::Read);
  };
  read("query", matched->query);
  read("key", matched->key);
  read("value", matched->value);
  if (matched->bias) {
    read("bias", *matched->bias);
  }
  add("result", fusion.getResult(matched->result.access.argument),
      matched->result, plan::Access::Write);
  call.setNumber("scale", matched->body.scale);
  call.set("causal", graph::stringifyCausal(matched->causal));
  call.setAlgorithm(schedule->versionsAlgorithm());
  call.setVersion(schedule->version());
  call.create(name(), schedule->scratchBytes);
  return success();
}

} // namespace minic::cuda
