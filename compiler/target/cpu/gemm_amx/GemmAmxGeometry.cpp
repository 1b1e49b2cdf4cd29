// SPDX-License-Identifier: Apache-2.0
//
// Blocks, panels and layouts of a GEMM of AMX tiles.

#include "compiler/target/cpu/gemm_amx/GemmAmxGeometry.h"

#include "compiler/target/cpu/PackedRhs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

/// The schedule of the form without AMX: panels as wide, split as the other is.
static GemmPackedSchedule withoutAmx(const kernel::GemmShape &gemm,
                                     const GemmAmxSchedule &schedule) {
  GemmPackedSchedule result;
  result.mr = 8;
  result.nr = blockColumns;
  result.packLhs = gemm.lhsStrideK != 1;
  result.tc = 8;
  result.splitN = schedule.splitN;
  result.alone = schedule.alone;
  result.dot = gemm.lhsType.isInteger() ? GemmDot::Quads : GemmDot::Pairs;
  return result;
}

FailureOr<GemmAmxGeometry>
GemmAmxGeometry::get(const kernel::FusionShape &shape,
                     const GemmAmxSchedule &schedule, std::string *reason) {
  auto fail = [&](const char *why) {
    if (reason) {
      *reason = why;
    }
    return failure();
  };
  GemmAmxGeometry g;
  g.gemm = *shape.gemm;
  g.schedule = schedule;
  if (g.gemm.lhsType != g.gemm.rhsType ||
      !(g.gemm.lhsType.isBF16() || g.gemm.lhsType.isInteger(8))) {
    return fail("tiles multiply bf16 and i8 alone");
  }
  if (g.gemm.k == 0) {
    return fail("there is nothing to multiply: K is 0");
  }
  g.windows = windowsOf(shape);
  if (g.windows) {
    g.image = PaddedImage::get(shape.conv->geometry);
  }
  g.steps = llvm::divideCeil(g.gemm.k, g.tileDepth());
  g.blocks = llvm::divideCeil(g.rows(), blockRows);
  g.panels = llvm::divideCeil(g.gemm.n, blockColumns);
  g.batches = g.gemm.batchCount();
  g.blocksAtATime =
      schedule.mc == 0 ? std::max<int64_t>(g.blocks, 1) : schedule.mc;
  if (!schedule.packLhs) {
    if (g.windows) {
      return fail("windows must be packed");
    }
    // Tiles have whole rows. What lies behind a row of lhs may be no number,
    // and behind its last row no memory.
    if (g.gemm.lhsStrideK != 1 || g.gemm.k % g.tileDepth() != 0) {
      return fail("rows of lhs must be packed unless each is a multiple of 64 "
                  "bytes in one piece");
    }
    if (g.blocks > 1 && g.gemm.m % blockRows != 0) {
      return fail("rows of lhs must be packed unless their number is a "
                  "multiple of 32 or below it");
    }
  }
  FailureOr<GemmGeometry> other =
      GemmGeometry::get(shape, cpu::withoutAmx(g.gemm, schedule), reason);
  if (failed(other)) {
    return failure();
  }
  g.withoutAmx = *other;
  g.withoutAmx.panelWords = g.steps * g.tileDepth() / g.wordElements();
  return g;
}

RowPlaces GemmAmxGeometry::lhsPlaces() const {
  if (image) {
    return {.rowStride = image->conv.inputChannels, .lineStride = 0};
  }
  if (windows) {
    // An odd number of lines, so that rows do not share sets of L1.
    return {.rowStride = (steps | 1) * tileDepth(), .lineStride = tileDepth()};
  }
  return schedule.packLhs ? RowPlaces{.rowStride = tileDepth(),
                                      .lineStride = tileDepth() * blockRows}
                          : RowPlaces{.rowStride = gemm.lhsStrideM,
                                      .lineStride = tileDepth()};
}

int64_t GemmAmxGeometry::packedBlockElements() const {
  return windows ? blockRows * lhsPlaces().rowStride
                 : steps * tileDepth() * blockRows;
}

int64_t GemmAmxGeometry::packedElements() const {
  int64_t count = std::min(blocksAtATime, blocks);
  return image ? image->linesOf(count * blockRows) * image->lineElements()
         : schedule.packLhs ? count * packedBlockElements()
                            : 0;
}

int64_t GemmAmxGeometry::scratchBytes() const {
  return std::max(packedLhsOffset + factorBytes() * packedElements(),
                  withoutAmx.scratchBytes());
}

SmallVector<int64_t> GemmAmxGeometry::packedRhsBatchStrides() const {
  int64_t matrix = gemm.k * gemm.n;
  return llvm::map_to_vector(gemm.rhsBatchStrides, [&](int64_t stride) {
    return matrix == 0 ? 0 : stride / matrix * packedRhsElements();
  });
}

kernel::LayoutAttr getRhsLayout(const kernel::FusionShape &shape,
                                const GemmAmxGeometry &g) {
  return getPanelLayout(shape, blockColumns, g.wordElements(),
                        g.steps * g.tileDepth());
}

} // namespace minic::cpu
