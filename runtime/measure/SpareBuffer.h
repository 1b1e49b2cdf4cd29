// SPDX-License-Identifier: Apache-2.0
//
// SpareBuffer: a block of a device's memory that functions timed one after the
// other hand on, since allocating and freeing it takes longer than filling it.

#ifndef MINIC_RUNTIME_MEASURE_SPAREBUFFER_H
#define MINIC_RUNTIME_MEASURE_SPAREBUFFER_H

#include "runtime/device/DeviceBuffer.h"

namespace minic::runtime {

/// Of one device; one thread at a time.
class SpareBuffer {
public:
  struct Block {
    std::shared_ptr<const DeviceMemory> memory; // outlives the buffer
    DeviceBuffer buffer;
  };

  /// At least `bytes` of `memory` or of another of the same device.
  absl::StatusOr<Block> take(std::shared_ptr<const DeviceMemory> memory,
                             uint64_t bytes);
  /// Keeps the larger one of `block` and what it has. It frees the other, and
  /// also large ones, so that others do not run short of memory.
  void leave(Block block);

private:
  Block spare_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_SPAREBUFFER_H
