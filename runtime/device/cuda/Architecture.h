// SPDX-License-Identifier: Apache-2.0
//
// The rule of Variant.isa for CUDA: which devices run which binaries.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_ARCHITECTURE_H
#define MINIC_RUNTIME_DEVICE_CUDA_ARCHITECTURE_H

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace minic::runtime {

/// 9 and 0 for "9.0".
struct ComputeCapability {
  int major = 0, minor = 0;
};

/// FailedPrecondition unless a device of `capability` runs `isa`: "sm_90a" runs
/// there alone, "sm_100f" and "sm_80" in their generation from that minor
/// version on, "compute_80" everywhere from there on.
absl::Status checkArchitecture(absl::string_view isa,
                               ComputeCapability capability);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_ARCHITECTURE_H
