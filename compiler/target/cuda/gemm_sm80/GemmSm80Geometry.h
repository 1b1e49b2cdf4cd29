// SPDX-License-Identifier: Apache-2.0
//
// GemmSm80Geometry: the numbers that follow from a problem and a schedule.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_GEMMSM80GEOMETRY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_GEMMSM80GEOMETRY_H

#include "compiler/target/cuda/gemm/GemmGeometry.h"
#include "compiler/target/cuda/gemm_sm80/GemmSm80Schedule.h"

namespace minic::cuda {

/// The tile of sums is there once per warp along K.
struct GemmSm80Geometry : GemmGeometry {
  GemmSm80Schedule schedule;
  /// What one warp computes of the tile.
  int64_t warpTileM = 0, warpTileN = 0;
  /// Floats from one row of the tile of sums to the next.
  int64_t sumPitch = 0;

  /// Fails with a reason where `schedule` cannot implement `shape`.
  static mlir::FailureOr<GemmSm80Geometry> get(const kernel::FusionShape &shape,
                                               const GemmSm80Schedule &schedule,
                                               std::string *reason);
  /// Null where a block fits `profile`'s device, else what does not.
  std::optional<std::string> misfit(const DeviceProfile &profile) const;

  /// Blocks that an SM holds at once, at least 1.
  int64_t blocksPerSm(const DeviceProfile &profile) const;

  bool usesTensorCores() const { return schedule.math != GemmMath::Ffma; }
  int64_t sharedBytes() const;
  /// Sums that a thread holds.
  int64_t accumulators() const { return warpTileM * warpTileN / 32; }
  /// A rough count of registers a thread needs; more than 255 spill.
  int64_t registers() const;
  /// Blocks per SM that the assembler is to keep to, 0 for as it likes.
  int64_t minBlocksPerSm() const;
  /// What it may have besides: for what the epilogue reads.
  int64_t freeRegisters() const {
    return cuda::freeRegisters(schedule.threads(), registers(),
                               minBlocksPerSm());
  }

private:
  BlockResources resources() const;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_GEMMSM80GEOMETRY_H
