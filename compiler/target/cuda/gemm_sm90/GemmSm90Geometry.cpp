// SPDX-License-Identifier: Apache-2.0
//
// Tiles, stages, shared memory and what a schedule may not be.

#include "compiler/target/cuda/gemm_sm90/GemmSm90Geometry.h"

#include "compiler/target/cuda/Registers.h"
#include "compiler/target/cuda/gemm_sm90/RegisterEpilogue.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

/// Blocks of a cluster are neighbours of one launch: along M within a group of
/// rows of tiles, along N where a group is one row.
static std::string checkMulticast(const GemmSm90Geometry &g) {
  const GemmSm90Schedule &s = g.schedule;
  if (s.splitK > 1) {
    return "multicast and a split K are not done together";
  }
  // Each block copies its part of what they share: rows in eights, after which
  // the swizzle repeats.
  if (s.multicastM > 1 &&
      (g.raster.tilesM % s.multicastM != 0 || s.group % s.multicastM != 0 ||
       s.bn % (8 * s.multicastM) != 0)) {
    return "tiles along M do not divide among clusters";
  }
  if (s.multicastN > 1 &&
      (s.group != 1 || g.raster.tilesN % s.multicastN != 0)) {
    return "tiles along N do not divide among clusters, or group is not 1";
  }
  return "";
}

static std::string checkPingPong(const GemmSm90Geometry &g) {
  const GemmSm90Schedule &s = g.schedule;
  if (s.warpGroups() > 1 || s.multicast() > 1 || s.splitK > 1) {
    return "a ping-pong is of single warp groups with whole tiles of their own";
  }
  if (s.keepsRhs && (g.raster.batches > 1 || !g.staysInColumn())) {
    return "rhs stays where all tiles of a block have the same columns";
  }
  if (!s.movesRegisters()) {
    return "";
  }
  // The block begins with as many for each thread, in eights.
  int64_t each = registersOfSm / s.threads() / 8 * 8;
  int64_t copying = GemmSm90Geometry::copyingRegisters;
  if (s.teamRegisters % 8 != 0 || s.teamRegisters < each ||
      2 * s.teamRegisters + copying > 3 * each) {
    return "teams take over registers in eights, as many as the warps that "
           "copy have to give";
  }
  return "";
}

static std::string checkTma(const GemmSm90Geometry &g) {
  if (g.hasPrologue()) {
    return "TMA copies operands as they are";
  }
  if (g.rowBytes != 128) {
    return "TMA copies stages of 64 elements of K";
  }
  for (const TmaOperand *operand : {&g.tmaLhs, &g.tmaRhs}) {
    if (!operand->why.empty()) {
      return operand->why;
    }
  }
  if (g.schedule.isPingPong()) {
    return checkPingPong(g);
  }
  return g.schedule.multicast() > 1 ? checkMulticast(g) : "";
}

static std::string checkTile(const GemmSm90Geometry &g) {
  const GemmSm90Schedule &s = g.schedule;
  if (s.bm % (64 * s.warpGroupsM) != 0 || s.bn % (8 * s.warpGroupsN) != 0) {
    return "a warp group's tile must be of multiples of 64x8";
  }
  if (s.bk / 16 % s.warpGroupsK != 0) {
    return "a stage of K does not divide among its warp groups";
  }
  if (s.threads() > 1024) {
    return "more than 1024 threads";
  }
  if (s.keepsRhs && !s.isPingPong()) {
    return "rhs stays in the blocks of a ping-pong alone";
  }
  if (s.movesRegisters() && !s.isPingPong()) {
    return "only the teams of a ping-pong take over registers";
  }
  if (g.accumulators() > (s.movesRegisters() ? 192 : 128)) {
    return "more sums in a thread than it has registers for";
  }
  if (s.tma) {
    return checkTma(g);
  }
  if (s.multicast() > 1 || s.isPingPong()) {
    return "multicast is of copies by TMA, and so is a ping-pong";
  }
  for (const GemmOperand *operand : g.copied()) {
    std::string why = g.checkCopy(*operand, s.bk, s.threads());
    if (!why.empty()) {
      return why;
    }
  }
  return g.checkPrologues(s.bk, s.threads());
}

FailureOr<GemmSm90Geometry>
GemmSm90Geometry::get(const kernel::FusionShape &shape,
                      const GemmSm90Schedule &schedule, std::string *reason) {
  GemmSm90Geometry g;
  // Lines of L2, so that a stage's part of a row is in one.
  static_cast<GemmGeometry &>(g) =
      GemmGeometry(shape, schedule, /*paddedRowBytes=*/128);
  g.schedule = schedule;
  g.inputs = EpilogueEmitter::inputRegisters(shape, g.lanes);
  g.groupTileM = schedule.bm / schedule.warpGroupsM;
  g.groupTileN = schedule.bn / schedule.warpGroupsN;
  int64_t finishColumns =
      g.groupTileN / (schedule.clustered ? schedule.splitK : 1);
  g.finishesInRegisters =
      (schedule.splitK == 1 || schedule.clustered) &&
      schedule.warpGroupsK == 1 && g.groupTileN % finishColumns == 0 &&
      finishColumns > 0 && finishColumns % (16 * g.sumsPerResult) == 0 &&
      RegisterEpilogue::fits(shape, g.lanes);
  if (schedule.tma) {
    // A block of several asks for its part of what they share.
    g.tmaLhs = g.tmaOperand(/*isRhs=*/false, schedule.bm / schedule.multicastN);
    g.tmaRhs = g.tmaOperand(/*isRhs=*/true, schedule.bn / schedule.multicastM);
  }

  std::string why = checkTile(g);
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

TmaOperand GemmSm90Geometry::tmaOperand(bool isRhs, int64_t boxRows) const {
  const GemmOperand &operand = isRhs ? rhs : lhs;
  return image && imageIsRhs == isRhs
             ? TmaOperand(operand, *image, boxRows, schedule.bk)
             : TmaOperand(operand, gemm.batch, boxRows, schedule.bk);
}

int64_t GemmSm90Geometry::residentBlocks() const {
  return std::min(blocks(), schedule.pingPongBlocks);
}

bool GemmSm90Geometry::staysInColumn() const {
  int64_t columns = raster.tilesN;
  return columns == 1 || (raster.group == 1 && residentBlocks() % columns == 0);
}

int64_t GemmSm90Geometry::passColumns() const {
  if (finishesInRegisters) {
    // As many as registers have room for. A pass has 32 accesses of 8 results,
    // or several times as many.
    int64_t columns = 96;
    while (finishColumns() % columns != 0) {
      columns -= 16 * sumsPerResult;
    }
    return columns;
  }
  for (int64_t columns : {64, 32}) {
    if (schedule.bn % columns == 0) {
      return columns;
    }
  }
  return 16;
}

int64_t GemmSm90Geometry::stageBarriers() const {
  if (schedule.isPingPong()) {
    return schedule.stages * stageBytes() + keptBytes() +
           4 * schedule.teams() * passBytes();
  }
  int64_t sums = finishesInRegisters
                     ? clusterBytes() + 4 * schedule.warpGroups() * passBytes()
                     : schedule.warpGroupsK * schedule.bm * sumPitch() * 4;
  return std::max(schedule.stages * stageBytes(), sums);
}

int64_t GemmSm90Geometry::sharedBytes() const {
  int64_t barriers = schedule.tma ? 2 * schedule.stages : 0;
  barriers += schedule.isPingPong() ? schedule.teams() : 0;
  barriers += schedule.keepsRhs ? 1 : 0;
  return stageBarriers() + barriers * 8;
}

SmallVector<plan::TensorMapAttr, 2> GemmSm90Geometry::tensorMaps() const {
  if (!schedule.tma) {
    return {};
  }
  return {tmaLhs.map(), tmaRhs.map()};
}

KernelLaunchBounds GemmSm90Geometry::launchBounds() const {
  KernelLaunchBounds bounds;
  bounds.threads = schedule.threads();
  bounds.minBlocksPerSm = minBlocksPerSm();
  bounds.tensorMaps = schedule.tma ? 2 : 0;
  bounds.clusterX = schedule.multicast() > 1 ? schedule.multicast() : 0;
  return bounds;
}

void GemmSm90Geometry::describe(KernelLaunch &launch) const {
  launch.tensorMaps = tensorMaps();
  if (schedule.isPingPong()) {
    launch.grid = {residentBlocks()};
  }
  if (schedule.multicast() > 1) {
    launch.clusterX = schedule.multicast();
  }
}

int64_t GemmSm90Geometry::registers() const {
  // Besides sums: addresses and conditions of copies.
  return accumulators() + 40 + prologueRegisters() +
         (schedule.tma ? 0 : imageRegisters(schedule.threads()));
}

int64_t GemmSm90Geometry::registersBesideSums() const {
  // The assembler gives threads of nine warps as many as those of twelve.
  constexpr int64_t most = 168, addresses = 20;
  return (schedule.movesRegisters() ? schedule.teamRegisters : most) -
         accumulators() - addresses;
}

int64_t GemmSm90Geometry::accessesAtOnce() const {
  int64_t each = std::max<int64_t>(inputs.ofRows, 1);
  // Conditions of a last tile and more columns than a bias's: with a scale as
  // well 64x256 tiles spilled 32 bytes.
  bool hasTail = gemm.m % schedule.bm != 0 || gemm.n % schedule.bn != 0;
  int64_t left =
      registersBesideSums() - (hasTail && inputs.ofColumns > 4 ? 8 : 0);
  auto fit =
      int64_t(llvm::bit_floor(uint64_t(std::max<int64_t>(left / each, 1))));
  return std::min<int64_t>({passAccesses(), 4, fit});
}

bool GemmSm90Geometry::loadsColumnsAhead() const {
  // A lane's accesses have the same columns if rows divide among lanes.
  bool areShared = passColumns() / lanes <= 32;
  int64_t each = inputs.ofRows + (areShared ? 0 : inputs.ofColumns);
  return accessesAtOnce() * each + (areShared ? inputs.ofColumns : 0) <=
         registersBesideSums();
}

int64_t GemmSm90Geometry::minBlocksPerSm() const {
  if (schedule.movesRegisters()) {
    // From it the assembler knows how many registers a thread begins with.
    return 1;
  }
  constexpr int64_t shared = 228 << 10; // of an SM of Hopper
  int64_t ofBlock = int64_t(llvm::alignTo(registers(), 8)) * schedule.threads();
  bool fit =
      2 * (sharedBytes() + 1024) <= shared && 2 * ofBlock <= registersOfSm;
  return fit ? 2 : 0;
}

BlockResources GemmSm90Geometry::resources() const {
  int64_t each = schedule.movesRegisters()
                     ? registersOfSm / schedule.threads() / 8 * 8
                     : registers();
  return {schedule.threads(), each, sharedBytes()};
}

std::optional<std::string>
GemmSm90Geometry::misfit(const DeviceProfile &profile) const {
  if (profile.cpu != "sm_90a") {
    return "wgmma needs sm_90a";
  }
  if (schedule.movesRegisters() && !profile.assemblerMovesRegisters) {
    return "only ptxas lets warps take over registers, and none is here";
  }
  return resources().misfit(profile);
}

int64_t GemmSm90Geometry::blocksPerSm(const DeviceProfile &profile) const {
  return resources().blocksPerSm(profile);
}

} // namespace minic::cuda
