// SPDX-License-Identifier: Apache-2.0
//
// GemmGeometry: the numbers that follow from a problem and a GemmSchedule.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMGEOMETRY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMGEOMETRY_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/cuda/gemm/GemmOperand.h"
#include "compiler/target/cuda/gemm/GemmSchedule.h"
#include "compiler/target/cuda/gemm/ImageMatrix.h"
#include "compiler/target/cuda/gemm/OperandPrologue.h"
#include "compiler/target/cuda/gemm/TileRaster.h"

namespace minic::cuda {

/// A stage of shared memory holds `bm` rows of lhs, then `bn` rows of rhs, each
/// `rowBytes` long, then what prologues need besides. After the last stage was
/// used the memory holds the tile of sums, in f32.
struct GemmGeometry {
  kernel::GemmShape gemm;
  /// The contraction's operands.
  GemmOperand lhs, rhs;
  /// An operand with a prologue is no argument.
  std::optional<OperandPrologue> lhsPrologue, rhsPrologue;
  /// Of a convolution that is no plain product: how one of the operands, rhs or
  /// lhs, is read from images. Why it cannot be, empty if it can.
  std::optional<ImageMatrix> image;
  bool imageIsRhs = false;
  std::string imageWhy;
  TileRaster raster;

  int64_t elementBytes = 0;
  /// Bytes of K in a stage.
  int64_t rowBytes = 0;
  /// The tile of lhs in a stage; that of rhs, which begins there.
  int64_t lhsTileBytes = 0, rhsTileBytes = 0;
  /// Stages that cover K, and those one block passes.
  int64_t kBlocks = 0, kBlocksPerSplit = 0;
  /// Sums of a tile.
  int64_t tileSums = 0;
  /// Columns that one access of the epilogue has.
  int64_t lanes = 1;
  /// Columns of which one result is made.
  int64_t sumsPerResult = 1;
  /// What the epilogue reads and writes of memory for each sum, roughly.
  int64_t bytesPerSum = 4;
  /// Results need more of their rows than sums: residuals.
  bool readsRows = false;
  /// Of the epilogue, for each element, roughly.
  int64_t epilogueInstructions = 0;

  GemmGeometry() = default;
  /// `paddedRowBytes`: what rows that are padded are a multiple of.
  GemmGeometry(const kernel::FusionShape &shape, const GemmSchedule &schedule,
               int64_t paddedRowBytes = 16);

  const std::optional<OperandPrologue> &prologue(bool isRhs) const {
    return isRhs ? rhsPrologue : lhsPrologue;
  }
  bool hasPrologue() const { return lhsPrologue || rhsPrologue; }
  /// The matrices that are copied from arguments.
  llvm::SmallVector<const GemmOperand *> copied() const;
  /// Of both operands' tiles and what prologues need.
  int64_t stageBytes() const;
  /// Registers of a thread that makes an operand, roughly.
  int64_t prologueRegisters() const;
  /// Those of one of `threads` that copies windows of images.
  int64_t imageRegisters(int64_t threads) const;
  mlir::Value imageValue() const { return imageIsRhs ? rhs.value : lhs.value; }
  /// Whether `padLhs` asks for an operand with more zeros than it has.
  bool padsLhs() const { return image ? image->isPadded : !lhs.isDense(); }
  /// What a kernel of its own lays out anew for this one, in bytes.
  double relaidBytes() const;
  /// Why threads cannot make the operands; empty if they can.
  std::string checkPrologues(int64_t bk, int64_t threads) const;

  /// Blocks of the launch; 0 where the result has no elements.
  int64_t blocks() const { return raster.blocks(); }
  /// Partial sums and counters of blocks that meet in memory.
  int64_t workspaceBytes() const;
  int64_t counterBytes() const;
  /// Why so many threads cannot copy `operand`; empty if they can.
  std::string checkCopy(const GemmOperand &operand, int64_t bk,
                        int64_t threads) const;
  /// Why K cannot be split so, or why the problem is too large; empty if
  /// neither.
  std::string checkSize() const;

private:
  void setOperands(const kernel::FusionShape &shape,
                   const GemmSchedule &schedule, int64_t paddedRowBytes);
  /// Puts the operands' tiles and their prologues' into a stage.
  void setPrologues(const kernel::FusionShape &shape,
                    const GemmSchedule &schedule);
};

/// Registers that a thread of a block of `threads` may have besides `used`,
/// where the assembler is to keep to `minBlocksPerSm` blocks an SM, or 0.
int64_t freeRegisters(int64_t threads, int64_t used, int64_t minBlocksPerSm);

/// The resources of an SM that a block uses.
struct BlockResources {
  int64_t threads, registers, sharedBytes; // registers of a thread

  /// Null where a block fits `profile`'s device, else what does not.
  std::optional<std::string> misfit(const DeviceProfile &profile) const;
  /// Blocks that an SM holds at once, at least 1.
  int64_t blocksPerSm(const DeviceProfile &profile) const;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMGEOMETRY_H
