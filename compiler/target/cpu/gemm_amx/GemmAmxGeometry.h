// SPDX-License-Identifier: Apache-2.0
//
// GemmAmxGeometry: the numbers that follow from a problem and a schedule.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_AMX_GEMMAMXGEOMETRY_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_AMX_GEMMAMXGEOMETRY_H

#include "compiler/target/cpu/PaddedImage.h"
#include "compiler/target/cpu/WindowRows.h"
#include "compiler/target/cpu/gemm_amx/GemmAmxSchedule.h"
#include "compiler/target/cpu/gemm_packed/GemmGeometry.h"

namespace minic::cpu {

/// Rows of a tile, and bytes of one of them.
constexpr int64_t tileRows = 16, tileRowBytes = 64;
/// Rows and columns of a block: two tiles each way.
constexpr int64_t blockRows = 32, blockColumns = 32;

struct GemmAmxGeometry {
  kernel::GemmShape gemm;
  GemmAmxSchedule schedule;
  /// Steps of K, blocks of rows (of each batch), panels of columns.
  int64_t steps = 0, blocks = 0, panels = 0, batches = 1;
  /// Blocks of rows that a panel meets before the next one.
  int64_t blocksAtATime = 0;
  /// Where lhs are windows: packing gathers them, or pads images whose pixels
  /// are their rows.
  std::optional<WindowRows> windows;
  std::optional<PaddedImage> image;
  /// The form without AMX, on the same packed rhs.
  GemmGeometry withoutAmx;

  /// Fails with a reason where `schedule` cannot implement `shape`.
  static mlir::FailureOr<GemmAmxGeometry> get(const kernel::FusionShape &shape,
                                              const GemmAmxSchedule &schedule,
                                              std::string *reason);

  /// The dtype of what is multiplied, and of the sums.
  mlir::Type factorType() const { return gemm.lhsType; }
  mlir::Type sumType() const {
    return KernelBuilder::computeType(gemm.resultType);
  }
  int64_t factorBytes() const {
    return factorType().getIntOrFloatBitWidth() / 8;
  }
  /// Elements of K in a row of a tile, and in a word of 4 bytes.
  int64_t tileDepth() const { return tileRowBytes / factorBytes(); }
  int64_t wordElements() const { return 4 / factorBytes(); }

  /// Rows that are multiplied: M, or those of the padded images.
  int64_t rows() const { return image ? image->rows() : gemm.m; }
  /// Rows of the last block, 1 to 32, and how many tiles those take.
  int64_t lastRows() const { return rows() - (blocks - 1) * blockRows; }
  int64_t lastTiles() const { return lastRows() > tileRows ? 2 : 1; }
  /// Elements of one packed panel, and of one packed rhs matrix.
  int64_t panelElements() const { return steps * tileDepth() * blockColumns; }
  int64_t packedRhsElements() const { return panels * panelElements(); }
  /// Where the rows of a block of lhs are that are multiplied, a line for each
  /// step of K; those of images have places of their own.
  RowPlaces lhsPlaces() const;
  /// Elements of one packed block of lhs.
  int64_t packedBlockElements() const;
  /// Elements from one rhs matrix to the next, per batch dimension.
  llvm::SmallVector<int64_t> packedRhsBatchStrides() const;
  /// Pieces that threads may take; 0 where the result has no elements.
  int64_t pieces() const {
    return batches * (schedule.splitN ? panels : blocks) *
           (blocks > 0 && panels > 0);
  }
  /// Tiles of the launch's grid: the pieces, or one that is all of them.
  int64_t grid() const {
    return schedule.alone ? std::min<int64_t>(pieces(), 1) : pieces();
  }
  /// Where packed blocks of lhs begin in a thread's scratch, behind the state
  /// of BlockKernel.
  static constexpr int64_t packedLhsOffset = 4096 + 1024 + 64;
  /// Elements of packed lhs that panels pass by before the next ones are
  /// packed.
  int64_t packedElements() const;
  /// Per thread; a multiple of 64, for both forms.
  int64_t scratchBytes() const;
};

/// The layout that packed panels of rhs have.
kernel::LayoutAttr getRhsLayout(const kernel::FusionShape &shape,
                                const GemmAmxGeometry &geometry);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_AMX_GEMMAMXGEOMETRY_H
