// SPDX-License-Identifier: Apache-2.0
//
// Operands, stages of K and tiles; what fits a device.

#include "compiler/target/cuda/gemm/GemmGeometry.h"

#include "compiler/target/cuda/EpilogueEmitter.h"
#include "compiler/target/cuda/Registers.h"
#include "compiler/target/cuda/gemm/ConvolutionView.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

/// The widest access of the epilogue that all results allow: 16 bytes, and no
/// more columns than N is a multiple of, so that each access is wholly inside
/// the result or outside and aligned.
static int64_t epilogueLanes(const kernel::FusionShape &shape) {
  int64_t bytes = 4;
  for (Value result : shape.results) {
    Type type = cast<RankedTensorType>(result.getType()).getElementType();
    bytes = std::min<int64_t>(
        bytes, llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  }
  int64_t lanes =
      EpilogueEmitter::lanesFor(shape, std::min<int64_t>(16 / bytes, 8));
  // Groups of a convolution's channels are tiles of their own.
  while (readsImages(shape) && shape.gemm->n % lanes != 0) {
    lanes /= 2;
  }
  return lanes;
}

/// Of results, and of operands of their shape.
static int64_t epilogueBytes(const kernel::FusionShape &shape) {
  int64_t bytes = 0;
  for (Value value :
       llvm::concat<const Value>(shape.results, shape.epilogueInputs)) {
    auto type = cast<RankedTensorType>(value.getType());
    bool isWhole = type.getShape() == ArrayRef<int64_t>(shape.space);
    bytes += isWhole ? kernel::getElementBytes(type.getElementType()) : 0;
  }
  return bytes;
}

GemmGeometry::GemmGeometry(const kernel::FusionShape &shape,
                           const GemmSchedule &schedule, int64_t paddedRowBytes)
    : gemm(*shape.gemm), raster{int64_t(llvm::divideCeil(gemm.m, schedule.bm)),
                                int64_t(llvm::divideCeil(gemm.n, schedule.bn)),
                                schedule.splitK,
                                gemm.batchCount(),
                                schedule.group,
                                schedule.clustered},
      tileSums(schedule.bm * schedule.bn), lanes(epilogueLanes(shape)),
      sumsPerResult(shape.sumsPerResult()), bytesPerSum(4 / sumsPerResult),
      readsRows(!EpilogueEmitter::readsColumnsAlone(shape)),
      epilogueInstructions(EpilogueEmitter::instructionCount(shape) /
                           sumsPerResult) {
  setOperands(shape, schedule, paddedRowBytes);
  if (shape.conv) {
    bytesPerSum = epilogueBytes(shape);
  }
  elementBytes = lhs.elementBytes();
  rowBytes = schedule.bk * elementBytes;
  lhsTileBytes = schedule.bm * rowBytes;
  rhsTileBytes = schedule.bn * rowBytes;
  kBlocks = int64_t(llvm::divideCeil(gemm.k, schedule.bk));
  kBlocksPerSplit = int64_t(llvm::divideCeil(kBlocks, schedule.splitK));
  setPrologues(shape, schedule);
}

void GemmGeometry::setOperands(const kernel::FusionShape &shape,
                               const GemmSchedule &schedule,
                               int64_t paddedRowBytes) {
  if (readsImages(shape)) {
    ConvolutionMatrices matrices(shape, schedule.padLhs);
    imageWhy = ConvolutionMatrices::check(shape, matrices);
    image = matrices.image;
    imageIsRhs = gemm.rhs == shape.conv->input;
    lhs = imageIsRhs ? matrices.filter : matrices.images;
    rhs = imageIsRhs ? matrices.images : matrices.filter;
    gemm.k = image->k();
    return;
  }
  lhs = schedule.padLhs
            ? GemmOperand::padded(shape, /*isLhs=*/true, paddedRowBytes)
            : GemmOperand::dense(shape, /*isLhs=*/true);
  // Weights are free, and another rhs is rarely unaligned.
  rhs = GemmOperand::padded(shape, /*isLhs=*/false, paddedRowBytes);
}

void GemmGeometry::setPrologues(const kernel::FusionShape &shape,
                                const GemmSchedule &schedule) {
  int64_t end = lhsTileBytes + rhsTileBytes;
  auto set = [&](GemmOperand &operand, std::optional<OperandPrologue> &prologue,
                 bool isLhs, bool padded) {
    if (isa<BlockArgument>(operand.value)) {
      return;
    }
    prologue = OperandPrologue::get(shape, isLhs, padded,
                                    isLhs ? schedule.bm : schedule.bn,
                                    schedule.bk, isLhs ? 0 : lhsTileBytes, end);
    end += prologue->extraBytes;
    // What reads like it.
    operand.accessBytes = prologue->lanes * operand.elementBytes();
    operand.layout = UnitAttr::get(operand.value.getContext());
    for (const StagedMatrix &staged : prologue->staged) {
      if (!staged.operand.isDense()) {
        operand.layout = staged.operand.layout;
      }
    }
  };
  set(lhs, lhsPrologue, /*isLhs=*/true, schedule.padLhs);
  set(rhs, rhsPrologue, /*isLhs=*/false, /*padded=*/true);
}

SmallVector<const GemmOperand *> GemmGeometry::copied() const {
  SmallVector<const GemmOperand *> matrices;
  for (bool isRhs : {false, true}) {
    const auto &made = prologue(isRhs);
    if (!made) {
      matrices.push_back(isRhs ? &rhs : &lhs);
      continue;
    }
    for (const StagedMatrix &staged : made->staged) {
      matrices.push_back(&staged.operand);
    }
  }
  return matrices;
}

int64_t GemmGeometry::stageBytes() const {
  int64_t bytes = lhsTileBytes + rhsTileBytes;
  for (bool isRhs : {false, true}) {
    bytes += prologue(isRhs) ? prologue(isRhs)->extraBytes : 0;
  }
  return bytes;
}

int64_t GemmGeometry::prologueRegisters() const {
  // Elements of inputs that are loaded at once, and their addresses.
  int64_t registers = 0;
  for (bool isRhs : {false, true}) {
    if (const auto &made = prologue(isRhs)) {
      int64_t matrices = std::max<size_t>(made->staged.size(), 1);
      registers = std::max(registers, matrices * prologueElements + 16);
    }
  }
  return registers;
}

int64_t GemmGeometry::imageRegisters(int64_t threads) const {
  if (!image) {
    return 0;
  }
  const GemmOperand &operand = imageIsRhs ? rhs : lhs;
  int64_t tileBytes = imageIsRhs ? rhsTileBytes : lhsTileBytes;
  int64_t copies = tileBytes / operand.accessBytes / threads;
  // Gathered elements, where each row begins, and taps.
  return image->gathers
             ? copies * 8 + 14 * operand.accessBytes / elementBytes + 10
             : copies * 2 + 4;
}

double GemmGeometry::relaidBytes() const {
  if (image) {
    const GemmOperand &operand = imageIsRhs ? rhs : lhs;
    return operand.isDense() ? 0 : double(image->elements * elementBytes);
  }
  return lhs.isDense() ? 0
                       : double(lhs.rows) * double(lhs.pitch * elementBytes);
}

std::string GemmGeometry::checkPrologues(int64_t bk, int64_t threads) const {
  for (bool isRhs : {false, true}) {
    const auto &made = prologue(isRhs);
    if (made && threads % (bk / made->lanes) != 0) {
      return "too few threads to make a row";
    }
  }
  return "";
}

int64_t GemmGeometry::workspaceBytes() const {
  return raster.meetsInMemory() ? raster.blocks() * tileSums * 4 : 0;
}

int64_t GemmGeometry::counterBytes() const {
  return raster.meetsInMemory() ? raster.tiles() * raster.batches * 4 : 0;
}

std::string GemmGeometry::checkCopy(const GemmOperand &operand, int64_t bk,
                                    int64_t threads) const {
  if (operand.accessBytes < 4) {
    return "rows of lhs are aligned to 2 bytes only: lhs=padded it must be";
  }
  int64_t accesses = bk * operand.elementBytes() / operand.accessBytes;
  return threads % accesses == 0 ? "" : "too few threads to copy a row";
}

std::string GemmGeometry::checkSize() const {
  if (!imageWhy.empty()) {
    return imageWhy;
  }
  if ((raster.splits - 1) * kBlocksPerSplit >= std::max<int64_t>(kBlocks, 1)) {
    return "K has too few stages to split";
  }
  // Clusters of eight run on every device that has clusters.
  int64_t rows = lhsTileBytes / std::max<int64_t>(rowBytes, 1);
  if (raster.clustered &&
      (raster.splits < 2 || raster.splits > 8 || rows % raster.splits != 0)) {
    return "a cluster has 2 to 8 blocks, which divide a tile's rows";
  }
  if (blocks() > INT32_MAX || gemm.m > INT32_MAX || gemm.n > INT32_MAX ||
      gemm.k > INT32_MAX / 8 || counterBytes() > INT32_MAX) {
    return "too large";
  }
  return "";
}

int64_t freeRegisters(int64_t threads, int64_t used, int64_t minBlocksPerSm) {
  int64_t most =
      registersOfSm / (std::max<int64_t>(minBlocksPerSm, 1) * threads);
  return std::max<int64_t>(std::min(most, registersOfThread) - used, 0);
}

std::optional<std::string>
BlockResources::misfit(const DeviceProfile &profile) const {
  if (sharedBytes > profile.sharedBytesPerBlock) {
    return std::to_string(sharedBytes) + " bytes of shared memory where " +
           std::to_string(profile.sharedBytesPerBlock) + " are";
  }
  if (registers > registersOfThread ||
      registers * threads > profile.registersPerSm) {
    return "about " + std::to_string(registers) + " registers in each of " +
           std::to_string(threads) + " threads";
  }
  return std::nullopt;
}

int64_t BlockResources::blocksPerSm(const DeviceProfile &profile) const {
  // The driver keeps 1 KiB of shared memory of each block.
  int64_t byShared = profile.sharedBytesPerSm / (sharedBytes + 1024);
  int64_t byRegisters =
      profile.registersPerSm / (int64_t(llvm::alignTo(registers, 8)) * threads);
  int64_t byThreads = profile.threadsPerSm / threads;
  return std::max<int64_t>(
      1, std::min<int64_t>({byShared, byRegisters, byThreads, 16}));
}

} // namespace minic::cuda
