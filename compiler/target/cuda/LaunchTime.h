// SPDX-License-Identifier: Apache-2.0
//
// Times that the estimates of all implementations share.

#ifndef MINIC_COMPILER_TARGET_CUDA_LAUNCHTIME_H
#define MINIC_COMPILER_TARGET_CUDA_LAUNCHTIME_H

#include "compiler/target/DeviceProfile.h"

namespace minic::cuda {

/// Microseconds from launch to launch of a library's kernel without work, about
/// what an H200 takes.
constexpr double launchUs = 2;

/// Microseconds of a kernel that copies `bytes`, as a relayout does.
inline double estimateCopyUs(double bytes, const DeviceProfile &profile) {
  return launchUs +
         (profile.memoryGBs > 0 ? 2e-3 * bytes / profile.memoryGBs : 0);
}

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_LAUNCHTIME_H
