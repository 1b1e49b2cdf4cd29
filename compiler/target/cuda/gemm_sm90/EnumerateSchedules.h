// SPDX-License-Identifier: Apache-2.0
//
// The schedules worth measuring for a GEMM, and how long each may take.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_ENUMERATESCHEDULES_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_ENUMERATESCHEDULES_H

#include "compiler/target/cuda/gemm/EstimatedSchedule.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Geometry.h"

namespace minic::cuda {

using EstimatedSm90Schedule = Estimated<GemmSm90Schedule>;

/// Schedules that are offered beside others and copy by TMA.
inline constexpr size_t maxTmaSchedules = 11;
/// Beside these, of clusters that share operands, and of blocks that stay.
inline constexpr size_t maxMulticastSchedules = 2, maxPingPongSchedules = 4;
/// Of the latter with an rhs that stays.
inline constexpr size_t maxKeepingSchedules = 6;

/// Schedules for `shape` that fit `profile`'s device, best estimate first, at
/// most `limit`, clusters and copies by TMA, unless all are asked for; none
/// only where no block fits.
std::vector<EstimatedSm90Schedule>
enumerateSm90Schedules(const kernel::FusionShape &shape,
                       const DeviceProfile &profile, size_t limit = 28);

/// A rough time: waves of blocks, each bound by tensor cores, shared memory, L2
/// or latency, and the device's memory under it all.
double estimateMicroseconds(const GemmSm90Geometry &geometry,
                            const DeviceProfile &profile);

/// Why `enumerateSm90Schedules` would offer nothing for the shape that `match`
/// finds in `fusion`; null otherwise.
std::optional<std::string> rejectSm90(
    kernel::FusionOp fusion, const DeviceProfile &profile,
    llvm::function_ref<mlir::FailureOr<kernel::FusionShape>(kernel::FusionOp,
                                                            std::string *)>
        match);

/// What a search of `family` looks at some schedules of each: what the estimate
/// is least sure of.
std::string kindOf(llvm::StringRef family, const GemmSm90Schedule &schedule);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_ENUMERATESCHEDULES_H
