// SPDX-License-Identifier: Apache-2.0
//
// GemmTime: how long a GEMM takes, from what bounds it. Constants here and in
// families' models are of one H200 and need to be right only among schedules of
// one problem.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMTIME_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMTIME_H

#include "compiler/target/cuda/gemm/GemmGeometry.h"

namespace minic::cuda {

/// Whether few rows meet so many weights that memory decides.
bool streamsWeights(const kernel::GemmShape &gemm);

/// Waves of blocks, the device's memory under them, and what a split K and a
/// padded lhs add. A family says what a wave takes.
class GemmTime {
public:
  virtual ~GemmTime() = default;

  double microseconds() const;

  /// Of an SM: 32 banks of 4 bytes.
  static constexpr double sharedBytesPerCycle = 128;
  /// Cycles until a stage's copies are there, which stages ahead have to cover.
  /// No measurement has it alone. It decides how deep rings are and whether
  /// wide stages or narrow ones win; docs/measurements/2026-11-28-constants.md
  /// says for how many choices.
  static constexpr double memoryLatency = 900;

protected:
  GemmTime(const GemmGeometry &geometry, const GemmSchedule &schedule,
           int64_t stageBytes, int64_t blocksPerSm,
           llvm::ArrayRef<const GemmOperand *> copied,
           const DeviceProfile &profile)
      : geometry_(geometry), schedule_(schedule), stageBytes_(stageBytes),
        blocksPerSm_(blocksPerSm), copied_(copied), profile_(profile) {}

  /// Cycles of `blocks` blocks of one SM, together.
  virtual double waveCycles(double blocks) const = 0;
  /// Multiply-adds of an SM per cycle where the device has `gflops`.
  double multiplyAddsPerCycle(double gflops) const;
  /// Cycles of a stage's copies through an SM that gets so much from L2.
  double copyCycles(double l2BytesPerCycle) const;
  /// What operands that are made in a stage cost an SM: arithmetic at 128 lanes
  /// per cycle, addresses and conversions included, and shared memory read and
  /// written.
  double prologueCycles() const;

  /// Whether results are made while other tiles of the SM multiply, by design.
  virtual bool overlapsEpilogues() const { return false; }

private:
  double memorySeconds() const;
  /// Of one of the batches: read and written.
  double memoryBytes() const;
  /// What results and what they need besides sums are of it.
  double rowsShare() const;
  /// Of an SM, copied at once.
  double bytesUnderWay() const;
  double splitMicroseconds() const;

  const GemmGeometry &geometry_;
  const GemmSchedule &schedule_;
  int64_t stageBytes_, blocksPerSm_;
  llvm::SmallVector<const GemmOperand *> copied_;
  const DeviceProfile &profile_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_GEMMTIME_H
