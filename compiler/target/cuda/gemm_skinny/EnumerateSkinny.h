// SPDX-License-Identifier: Apache-2.0
//
// The schedules of a skinny GEMM that are worth measuring.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_ENUMERATESKINNY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_ENUMERATESKINNY_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/cuda/gemm_skinny/SkinnyGeometry.h"

#include <vector>

namespace minic::cuda {

struct EstimatedSkinny {
  SkinnySchedule schedule;
  double microseconds = 0;
};

/// Best estimate first, at most `limit` unless all are asked for; never empty
/// for what matchSkinny takes.
std::vector<EstimatedSkinny> enumerateSkinny(const SkinnyFusion &fusion,
                                             const DeviceProfile &profile,
                                             size_t limit = 24);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_ENUMERATESKINNY_H
