// SPDX-License-Identifier: Apache-2.0
//
// GroupNormGeometry: the numbers that follow from a group norm and a schedule.

#ifndef MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_GROUPNORMGEOMETRY_H
#define MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_GROUPNORMGEOMETRY_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/cuda/group_norm/GroupNormFusion.h"
#include "compiler/target/cuda/group_norm/GroupNormSchedule.h"

#include "llvm/Support/MathExtras.h"

namespace minic::cuda {

/// A block has a chunk of successive pixels of one image. Threads run through a
/// pixel's channels first, so that neighbours read neighbours.
struct GroupNormGeometry {
  GroupNormSchedule schedule;
  int64_t images = 1, pixels = 1, channels = 1, groups = 1;
  /// Channels of a thread: 16 bytes.
  int64_t vector = 1;
  /// The input is [N, C, ...]: blocks turn their chunk in shared memory first.
  bool readsPlanes = false;
  /// Of all that the fusion reads, of its input, and of its results.
  double readBytes = 0, inputBytes = 0, writtenBytes = 0;
  /// Of the fusion's body behind the norm, for each result, roughly.
  int64_t epilogueInstructions = 0;

  /// Fails with a reason where `schedule` cannot implement `fusion`.
  static mlir::FailureOr<GroupNormGeometry>
  get(const GroupNormFusion &fusion, const GroupNormSchedule &schedule,
      std::string *reason);

  int64_t perGroup() const { return channels / groups; }
  int64_t vectors() const { return channels / vector; }
  /// Of a block, and those of them that have pixels.
  int64_t busyThreads() const { return vectors() * schedule.pixels; }
  int64_t threads() const {
    return int64_t(llvm::alignTo(uint64_t(busyThreads()), 32));
  }
  /// Pixels of a block; the last one of an image may have fewer.
  int64_t chunk() const {
    uint64_t each = llvm::divideCeil(pixels, schedule.blocks);
    // Planes are read by 16 bytes.
    return int64_t(readsPlanes ? llvm::alignTo(each, uint64_t(vector)) : each);
  }
  bool areChunksEqual() const { return pixels % chunk() == 0; }
  /// Pixels of a thread.
  int64_t steps() const {
    return int64_t(llvm::divideCeil(chunk(), schedule.pixels));
  }
  /// The second launch has all of its pixels in registers before it waits for
  /// the first.
  bool keeps() const { return steps() <= schedule.unroll; }
  /// Neighbours that merge what is known of one group: a power of two.
  int64_t groupThreads() const;
  /// Of the first launch: mean and squares of each channel of each pixel at a
  /// time; of the second: mean and factor of each group.
  int64_t statisticsBytes() const { return 8 * schedule.pixels * channels; }
  int64_t factorBytes() const { return 8 * groups; }
  /// Of a pixel in the turned chunk, whole lines of shared memory, and of all
  /// of the chunk; 0 where there is none.
  int64_t turnedRowBytes() const {
    return readsPlanes ? int64_t(llvm::alignTo(16 * uint64_t(vectors()), 128))
                       : 0;
  }
  int64_t turnedBytes() const { return chunk() * turnedRowBytes(); }
  /// Of shared memory, of the first launch and of the second.
  int64_t sharedBytes(bool isFirst) const {
    return turnedBytes() + (isFirst ? statisticsBytes() : factorBytes());
  }
  /// Mean and squares of each group of each chunk.
  int64_t workspaceBytes() const {
    return 8 * images * groups * schedule.blocks;
  }
  /// A rough time of both launches.
  double estimateUs(const DeviceProfile &profile) const;
};

/// Schedules that fit, best estimate first; all of them where `profile` asks
/// for all. Where there is none, why.
std::vector<GroupNormGeometry>
enumerateGroupNorms(const GroupNormFusion &fusion, const DeviceProfile &profile,
                    std::string *reason);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_GROUPNORMGEOMETRY_H
