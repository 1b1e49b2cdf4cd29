// SPDX-License-Identifier: Apache-2.0
//
// TensorMap: a parameter of a launch by which the kernel copies boxes of a
// tensor (TMA).

#ifndef MINIC_RUNTIME_DEVICE_CUDA_TENSORMAP_H
#define MINIC_RUNTIME_DEVICE_CUDA_TENSORMAP_H

#include "runtime/device/cuda/CudaDriver.h"
#include "runtime/format/plan_generated.h"

namespace minic::runtime {

/// Not thread-safe. Refers to `param`, which the artifact's reader has checked.
class TensorMap {
public:
  explicit TensorMap(const format::TensorMapParam &param) : param(param) {}

  /// Makes it one of the tensor at `address`, which is aligned to 16 bytes; an
  /// error from the driver otherwise. Launches that were enqueued keep theirs.
  absl::Status setAddress(const CudaDriver &driver, void *address);
  /// What a launch takes: the driver copies it from there.
  void *value() { return &map; }

private:
  const format::TensorMapParam &param;
  CUtensorMap map{}; // whose type has the alignment
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_TENSORMAP_H
