// SPDX-License-Identifier: Apache-2.0
//
// Tiles, stages, shared memory and what a schedule may not be.

#include "compiler/target/cuda/gemm_sm80/GemmSm80Geometry.h"

#include "compiler/target/cuda/Registers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

static std::string checkTypes(const GemmSm80Geometry &g) {
  const kernel::GemmShape &gemm = g.gemm;
  if (gemm.lhsType != gemm.rhsType) {
    return "operands of different dtypes";
  }
  bool is16Bit = gemm.lhsType.isBF16() || gemm.lhsType.isF16();
  if (g.schedule.math == GemmMath::Mma ? !is16Bit : !gemm.lhsType.isF32()) {
    return "operands are not of a dtype that math=" +
           toString(g.schedule.math).str() + " multiplies";
  }
  return "";
}

static std::string checkTile(const GemmSm80Geometry &g) {
  const GemmSm80Schedule &s = g.schedule;
  if (s.bm % s.warpsM != 0 || s.bn % s.warpsN != 0) {
    return "the tile does not divide among its warps";
  }
  if (s.threads() > 1024) {
    return "more than 1024 threads";
  }
  if (g.usesTensorCores() && (g.warpTileM % 16 != 0 || g.warpTileN % 16 != 0)) {
    return "a warp's tile must be of multiples of 16x16";
  }
  if (!g.usesTensorCores() && (g.warpTileM % 8 != 0 || g.warpTileN % 4 != 0)) {
    return "a warp's tile must be of multiples of 8x4";
  }
  if (g.accumulators() > 128) {
    return "more than 128 sums in a thread";
  }
  if (g.rowBytes < 32 || g.rowBytes > 256) {
    return "a stage must have 32 to 256 bytes of K";
  }
  if (g.rowBytes / (g.usesTensorCores() ? 32 : 16) % s.warpsK != 0) {
    return "a stage of K does not divide among its warps";
  }
  for (const GemmOperand *operand : g.copied()) {
    std::string why = g.checkCopy(*operand, s.bk, s.threads());
    if (!why.empty()) {
      return why;
    }
  }
  return g.checkPrologues(s.bk, s.threads());
}

FailureOr<GemmSm80Geometry>
GemmSm80Geometry::get(const kernel::FusionShape &shape,
                      const GemmSm80Schedule &schedule, std::string *reason) {
  GemmSm80Geometry g;
  static_cast<GemmGeometry &>(g) = GemmGeometry(shape, schedule);
  g.schedule = schedule;
  g.warpTileM = schedule.bm / schedule.warpsM;
  g.warpTileN = schedule.bn / schedule.warpsN;
  // Rows of sums start in other banks than their neighbours: a warp writes
  // pairs of 8 rows, or single sums of 8 rows.
  g.sumPitch = schedule.bn + (g.usesTensorCores() ? 8 : 4);

  std::string why = checkTypes(g);
  if (why.empty()) {
    why = checkTile(g);
  }
  if (why.empty()) {
    why = g.checkSize();
  }
  if (!why.empty()) {
    if (reason) {
      *reason = why;
    }
    return failure();
  }
  return g;
}

int64_t GemmSm80Geometry::sharedBytes() const {
  int64_t sums = schedule.warpsK * schedule.bm * sumPitch * 4;
  return std::max(schedule.stages * stageBytes(), sums);
}

int64_t GemmSm80Geometry::registers() const {
  int64_t fragments = usesTensorCores() ? warpTileM / 16 * 4 + warpTileN / 8 * 2
                                        : (warpTileM / 8 + warpTileN / 4) * 4;
  // Both halves of a split operand, and the next step's fragments.
  bool isSplit = schedule.math == GemmMath::Tf32x3;
  int64_t copies = isSplit ? 3 : schedule.math == GemmMath::Ffma ? 1 : 2;
  int64_t sums = accumulators() * (isSplit ? 2 : 1);
  // Addresses of steps, and products that each may make ahead of their sums;
  // conditions of copies, of which narrow ones are many.
  int64_t steps = rowBytes / 32 / schedule.warpsK * (isSplit ? 2 : 1);
  // Those of windows are counted with them.
  bool isNarrow = lhs.accessBytes < 16;
  int64_t guards = image                       ? 0
                   : gemm.m % schedule.bm != 0 ? (isNarrow ? 24 : 12)
                   : isNarrow && gemm.k % schedule.bk != 0 ? 12
                                                           : 0;
  return sums + fragments * copies + 24 + 4 * steps + guards +
         prologueRegisters() + imageRegisters(schedule.threads());
}

int64_t GemmSm80Geometry::minBlocksPerSm() const {
  // Products that start from zero depend on no others: left alone the assembler
  // makes as many ahead as there are registers.
  if (schedule.math != GemmMath::Tf32x3) {
    return 0;
  }
  int64_t perThread = int64_t(llvm::alignTo(registers(), 8));
  return std::clamp<int64_t>(registersOfSm / (perThread * schedule.threads()),
                             1, 16);
}

BlockResources GemmSm80Geometry::resources() const {
  return {schedule.threads(), registers(), sharedBytes()};
}

std::optional<std::string>
GemmSm80Geometry::misfit(const DeviceProfile &profile) const {
  if (auto why = resources().misfit(profile)) {
    return why;
  }
  if (schedule.programmatic && profile.smVersion < 90) {
    return "pdl=on needs sm_90";
  }
  if (schedule.clustered && profile.smVersion < 90) {
    return "a cluster needs sm_90";
  }
  if (schedule.math == GemmMath::Tf32 && !profile.allowTf32) {
    return "math=tf32 needs --float32-precision=tf32";
  }
  return std::nullopt;
}

int64_t GemmSm80Geometry::blocksPerSm(const DeviceProfile &profile) const {
  return resources().blocksPerSm(profile);
}

} // namespace minic::cuda
