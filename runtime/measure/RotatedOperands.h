// SPDX-License-Identifier: Apache-2.0
//
// RotatedOperands: inputs and outputs in a device's memory, several times over,
// so that runs that take turns with them find nothing in the cache.

#ifndef MINIC_RUNTIME_MEASURE_ROTATEDOPERANDS_H
#define MINIC_RUNTIME_MEASURE_ROTATEDOPERANDS_H

#include "runtime/base/Tensor.h"
#include "runtime/device/DeviceBuffer.h"

#include <vector>

namespace minic::runtime {

/// How many sets of `setBytes` bytes must take turns so that a cache of
/// `cacheBytes` holds none of a set when its turn comes: together they are
/// twice the cache, at least two. The number is bounded: small sets stay in the
/// cache, as in a model the results of the run before do.
int64_t rotationLength(uint64_t setBytes, uint64_t cacheBytes);

/// Immutable: functions that take the same tensors share one.
class RotatedOperands {
public:
  /// Inputs of all sets are filled alike by fillRandom under their names. An
  /// output that updates an input in place is that input's memory.
  static absl::StatusOr<std::shared_ptr<const RotatedOperands>>
  create(std::shared_ptr<const DeviceMemory> memory,
         absl::Span<const TensorSpec> inputs,
         absl::Span<const TensorSpec> outputs, int64_t sets);

  int64_t sets() const { return int64_t(callers_.size()); }
  /// What Execution::run takes.
  void *const *callers(int64_t set) const { return callers_[set].data(); }
  /// Whether they are as these specs ask, at least `sets` times.
  bool fit(absl::Span<const TensorSpec> inputs,
           absl::Span<const TensorSpec> outputs, int64_t sets) const;

  /// Bytes of one set.
  static uint64_t setBytes(absl::Span<const TensorSpec> inputs,
                           absl::Span<const TensorSpec> outputs);

private:
  std::shared_ptr<const DeviceMemory> memory_; // outlives the slabs
  std::vector<TensorSpec> inputs_, outputs_;
  std::vector<DeviceBuffer> slabs_; // one per set
  std::vector<std::vector<void *>> callers_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_ROTATEDOPERANDS_H
