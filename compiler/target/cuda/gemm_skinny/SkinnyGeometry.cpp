// SPDX-License-Identifier: Apache-2.0
//
// What bounds schedules: registers and shared memory.

#include "compiler/target/cuda/gemm_skinny/SkinnyGeometry.h"

#include "compiler/target/cuda/Registers.h"
#include "compiler/target/cuda/rows/RowReduction.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

/// Of sm_90; where an SM has less, the assembler is told of too many blocks,
/// which only costs registers.
constexpr int64_t kSharedBytesPerSm = 227 << 10;

int64_t SkinnyGeometry::registers() const {
  // Addresses, counters, and what the assembler moves between them; less makes
  // it spill.
  int64_t fixed = 64 + 2 * loadsPerChunk();
  // They are read from shared memory a few chunks ahead of their products.
  int64_t chunks = std::min<int64_t>(schedule.unroll, 2);
  int64_t weights = 4 * loadsPerChunk() * chunks;
  bool isFfma = schedule.math == SkinnyMath::Ffma;
  int64_t sums = isFfma ? schedule.columns * gemm.m
                        : schedule.columns / 16 * rowTiles() * 4;
  int64_t lhs = isFfma ? 48 : (4 * chunks + 2) * rowTiles();
  // The lhs is made when the first weights are under way; of an element there
  // are what memory has and values of two steps.
  return fixed + sums + std::max(2 * weights + lhs, weights + 3 * madeAtOnce);
}

int64_t SkinnyGeometry::minBlocksPerSm() const {
  // As many as the registers that a thread is going to take allow.
  int64_t perThread =
      std::clamp<int64_t>((registers() + 7) / 8 * 8, 64, registersOfThread);
  int64_t blocks = std::min(registersOfSm / (perThread * threads()),
                            kSharedBytesPerSm / sharedBytes());
  return std::clamp<int64_t>(blocks, 1, 32);
}

RowSchedule SkinnyGeometry::rowSchedule(const RowFusion &rows) const {
  RowSchedule made;
  made.rows = std::min<int64_t>(int64_t(llvm::PowerOf2Ceil(uint64_t(gemm.m))),
                                schedule.warps);
  made.threads = threads() / made.rows;
  made.vector = vector();
  // Every thread takes a part of the row, if there is enough of it.
  while (rows.extents.back() % made.vector != 0 ||
         (made.vector > 1 && made.vector / 2 * made.threads >= gemm.k)) {
    made.vector /= 2;
  }
  made.unroll = int64_t(llvm::divideCeil(gemm.k, made.threads * made.vector));
  made.keeps = made.unroll * made.vector <= kMadeAtOnce;
  if (!made.keeps) {
    // What is read again is not converted ahead: registers hold twice as much.
    made.unroll = std::min<int64_t>(
        made.unroll, std::max<int64_t>(1, 2 * kMadeAtOnce / made.vector));
  }
  return made;
}

FailureOr<SkinnyGeometry> SkinnyGeometry::get(const SkinnyFusion &fusion,
                                              const SkinnySchedule &schedule,
                                              std::string *reason) {
  SkinnyGeometry g;
  g.gemm = *fusion.shape.gemm;
  g.schedule = schedule;
  g.dtype = g.gemm.lhsType;
  g.elementBytes = kernel::getElementBytes(g.dtype);
  auto fail = [&](const char *why) {
    if (reason) {
      *reason = why;
    }
    return failure();
  };
  if ((schedule.math == SkinnyMath::Mma16) != (g.elementBytes == 2)) {
    return fail("the operands' dtype needs other instructions");
  }
  if (schedule.columns % fusion.shape.sumsPerResult() != 0) {
    return fail("an odd number of columns, of which two are one result's");
  }
  // A block of many threads leaves each of them less.
  if (g.registers() >
      std::min(registersOfThread, registersOfSm / g.threads())) {
    return fail("more sums and loads than a thread has registers");
  }
  g.makesLhs = fusion.prologue.has_value();
  if (g.makesLhs && !llvm::isPowerOf2_64(uint64_t(schedule.warps))) {
    return fail("warps that are no power of two cannot make the lhs");
  }
  if (g.makesLhs) {
    g.madeAtOnce = std::min<int64_t>(
        kMadeAtOnce, llvm::divideCeil(g.gemm.m * g.gemm.k, g.threads()));
  }
  if (g.makesLhs && fusion.prologue->rows) {
    const RowFusion &rows = *fusion.prologue->rows;
    RowSchedule own = g.rowSchedule(rows);
    // A place for each time that the rows' threads take another row.
    g.mergeBytes = minic::cuda::sharedBytes(rows, own) *
                   int64_t(llvm::divideCeil(g.gemm.m, own.rows));
  }
  if (g.sumBytes() > 48 << 10 || g.sharedBytes() > 96 << 10) {
    return fail("more sums than shared memory holds");
  }
  if (g.threads() > 1024) {
    return fail("more warps than a block has");
  }
  if (g.tiles() > INT32_MAX || g.gemm.k > INT32_MAX / 2) {
    return fail("dimensions beyond 32 bits");
  }
  return g;
}

} // namespace minic::cuda
