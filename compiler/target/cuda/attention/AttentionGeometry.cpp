// SPDX-License-Identifier: Apache-2.0
//
// Sizes, and what fits.

#include "compiler/target/cuda/attention/AttentionGeometry.h"

#include "compiler/target/cuda/Registers.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace minic::cuda {

/// Of one head; larger ones leave no registers for the sums.
constexpr int64_t kMostDepth = 256;

/// The largest cp.async that all rows of `access` are aligned to; 2 where they
/// are aligned to an element only.
static int64_t alignmentOf(const AttentionFusion::Access &access,
                           std::array<int64_t, 4> extents) {
  int64_t bytes = std::gcd(int64_t(16), access.offset * 2);
  for (size_t i = 0; i != 3; ++i) {
    if (extents[i] > 1) {
      bytes = std::gcd(bytes, access.strides[i] * 2);
    }
  }
  return bytes;
}

static SharedRows rowsOf(const AttentionFusion::Access &access,
                         std::array<int64_t, 4> extents, bool wgmma) {
  auto padded = int64_t(llvm::alignTo(extents[3], 16));
  return {extents[3], padded, alignmentOf(access, extents),
          wgmma ? std::gcd(padded * 2, int64_t(128)) : 0};
}

FailureOr<AttentionFusion> matchAttention(kernel::FusionOp fusion,
                                          std::string &reason) {
  auto fail = [&](const char *why) {
    reason = why;
    return failure();
  };
  auto found = AttentionFusion::get(fusion, reason);
  if (failed(found)) {
    return failure();
  }
  const AttentionFusion &a = *found;
  Type type = a.query.storage;
  if (!(type.isBF16() || type.isF16()) || a.key.storage != type ||
      a.value.storage != type) {
    return fail("query, key and value that are not all bf16 or all f16");
  }
  if (a.depth > kMostDepth || a.valueDepth > kMostDepth) {
    return fail("heads of more than 256 elements");
  }
  auto isContiguous = [](const AttentionFusion::Access &access, int64_t size) {
    return size == 1 || access.strides[3] == 1;
  };
  if (!isContiguous(a.query, a.depth) || !isContiguous(a.key, a.depth) ||
      !isContiguous(a.value, a.valueDepth)) {
    return fail("a head whose elements are not contiguous");
  }
  if (a.madeQuery && a.depth % 16 != 0) {
    return fail("a query to make of heads that are no multiple of 16");
  }
  SharedRows rows[] = {
      rowsOf(a.query, {a.batch, a.heads, a.rows, a.depth}, false),
      rowsOf(a.key, {a.batch, a.keyHeads, a.keys, a.depth}, false),
      rowsOf(a.value, {a.batch, a.keyHeads, a.keys, a.valueDepth}, false)};
  for (const SharedRows &each : rows) {
    if (each.accessBytes < 4) {
      return fail("rows of query, key or value not aligned to 4 bytes");
    }
  }
  constexpr int64_t most = INT32_MAX / 4;
  if (a.rows > most / a.heads || a.keys > most ||
      a.batch > most / (a.heads * a.rows)) {
    return fail("more rows or keys than 32 bits number");
  }
  // Parameters of the kernel: operands, then results.
  auto operands = unsigned(fusion.getInputs().size());
  found->result.argument += operands;
  if (found->logSumExp) {
    found->logSumExp->argument += operands;
  }
  for (AttentionFusion::Update &update : found->updates) {
    update.result += operands;
  }
  return found;
}

SmallVector<unsigned> AttentionGeometry::earlyOperands() const {
  SmallVector<unsigned> operands = fusion.countingOperands();
  operands.append({fusion.key.argument, fusion.value.argument});
  return operands;
}

FailureOr<AttentionGeometry>
AttentionGeometry::get(const AttentionFusion &a,
                       const AttentionSchedule &schedule, std::string &reason) {
  AttentionGeometry g{
      a,
      schedule,
      rowsOf(a.query, {a.batch, a.heads, a.rows, a.depth}, schedule.wgmma),
      rowsOf(a.key, {a.batch, a.keyHeads, a.keys, a.depth}, schedule.wgmma),
      rowsOf(a.value, {a.batch, a.keyHeads, a.keys, a.valueDepth},
             schedule.wgmma),
      schedule.packs ? a.headsPerKey() : 1};
  for (const SharedRows &rows : {g.query, g.key, g.value}) {
    auto accesses = uint64_t(rows.padded * 2 / rows.accessBytes);
    auto lanes = int64_t(llvm::PowerOf2Ceil(accesses));
    if (lanes > schedule.threads()) {
      reason = "fewer threads than accesses of a row";
      return failure();
    }
    if (schedule.wgmma && a.makesOperands()) {
      reason = "wgmma and operands to make";
      return failure();
    }
    if (schedule.wgmma && schedule.threads() / lanes % 8 != 0) {
      reason = "wgmma and too few threads to copy 8 rows at once";
      return failure();
    }
  }
  if (schedule.warpKeys() % 16 != 0) {
    reason = "keys of a warp that are no multiple of 16";
    return failure();
  }
  if (g.blocks() > INT32_MAX / schedule.split) {
    reason = "more blocks than a grid has";
    return failure();
  }
  return g;
}

int64_t AttentionGeometry::rowBlocks() const {
  return int64_t(llvm::divideCeil(rows(), schedule.rowBlock()));
}

int64_t AttentionGeometry::keyBlocks() const {
  return int64_t(llvm::divideCeil(fusion.keys, schedule.keyBlock));
}

bool AttentionGeometry::keepsQuery() const {
  return !schedule.wgmma && query.padded / 4 * schedule.rowTiles <= 32;
}

bool AttentionGeometry::foldsScale() const {
  bool addsMask = fusion.mask && isa<FloatType>(fusion.mask->storage);
  return fusion.scale > 0 && !fusion.softCap && !addsMask;
}

bool AttentionGeometry::leavesOut() const {
  bool hasBools = fusion.mask && fusion.mask->storage.isInteger(1);
  return hasBools || fusion.causal != graph::Causal::None || fusion.window;
}

int64_t AttentionGeometry::sentPartsOffset() const {
  int64_t stages = queryBytes() + schedule.stages * stageBytes();
  int64_t partials = sharedParts() * partialFloats() * 4;
  return llvm::alignTo(std::max(stages, partials), 16);
}

int64_t AttentionGeometry::sharedBytes() const {
  int64_t flag = meetsInMemory() ? 16 : 0;
  int64_t sent = sendsParts() ? schedule.split * partialFloats() * 4 : 0;
  return sentPartsOffset() + sent + flag;
}

int64_t AttentionGeometry::workspaceBytes() const {
  return meetsInMemory() ? blocks() * schedule.split * partialFloats() * 4 : 0;
}

/// Within 25 of what nvJitLink 13.0 took for sm_80 and sm_90a, for heads of 64
/// to 256 elements and 32 and 64 keys; above 256 it spilled. With wgmma at most
/// 20 more than it took, for heads of 64 and 128 and 64 and 128 keys.
int64_t AttentionGeometry::registers() const {
  auto tiles = double(schedule.rowTiles);
  double sums = double(value.padded) / 2 * tiles;
  double scores = double(schedule.warpKeys()) / 2 * tiles;
  double held = keepsQuery() ? double(query.padded) / 4 * tiles : 4 * tiles;
  double masks = (leavesOut() ? 10 : 0) + (fusion.mask ? 1.4 * scores : 0);
  if (schedule.wgmma) {
    return int64_t(1.2 * sums + 1.6 * scores + masks + 20);
  }
  double more = schedule.stages > 2 && tiles > 1 ? 52 : 40;
  return int64_t(1.2 * sums + (tiles > 1 ? 1.5 : 1.75) * scores + held + masks +
                 more);
}

int64_t AttentionGeometry::blocksPerSm(const DeviceProfile &profile) const {
  // A block's own kilobyte belongs to the system.
  int64_t byShared = profile.sharedBytesPerSm / (sharedBytes() + 1024);
  int64_t each =
      llvm::alignTo(std::min<int64_t>(registers(), registersOfThread), 8);
  int64_t byRegisters = profile.registersPerSm / (each * schedule.threads());
  int64_t byThreads = profile.threadsPerSm / schedule.threads();
  return std::min({byShared, byRegisters, byThreads, int64_t(32)});
}

} // namespace minic::cuda
