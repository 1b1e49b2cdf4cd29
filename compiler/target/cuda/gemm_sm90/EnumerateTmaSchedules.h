// SPDX-License-Identifier: Apache-2.0
//
// The schedules with copies by TMA that are worth measuring.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_ENUMERATETMASCHEDULES_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_ENUMERATETMASCHEDULES_H

#include "compiler/target/cuda/gemm_sm90/EnumerateSchedules.h"

namespace minic::cuda {

/// Adds at most maxTmaSchedules to `schedules`, which are the others for
/// `shape`; none where TMA cannot read an operand.
void appendTmaSchedules(std::vector<EstimatedSm90Schedule> &schedules,
                        const kernel::FusionShape &shape,
                        const DeviceProfile &profile);

/// All that fit, whatever their estimates: tiles of their own, in clusters and
/// in turn. None is a programmatic launch.
std::vector<EstimatedSm90Schedule>
allTmaSchedules(const kernel::FusionShape &shape, const DeviceProfile &profile);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_ENUMERATETMASCHEDULES_H
