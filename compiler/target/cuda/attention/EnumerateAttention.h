// SPDX-License-Identifier: Apache-2.0
//
// Which schedules of an attention are worth measuring.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_ENUMERATEATTENTION_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_ENUMERATEATTENTION_H

#include "compiler/target/cuda/attention/AttentionGeometry.h"

#include <vector>

namespace minic::cuda {

struct EstimatedAttention {
  AttentionSchedule schedule;
  double microseconds = 0;
};

/// At most a dozen, 16 where there is wgmma, best estimate first; none where
/// the GPU has too little shared memory.
std::vector<EstimatedAttention>
enumerateAttention(const AttentionFusion &fusion, const DeviceProfile &profile);

/// From products, exponentials, shared memory and copies of a block, and how
/// many of them an SM has at a time.
double estimateMicroseconds(const AttentionGeometry &geometry,
                            const DeviceProfile &profile);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_ENUMERATEATTENTION_H
