// SPDX-License-Identifier: Apache-2.0
//
// The schedules worth measuring for a GEMM, and how long each may take.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_ENUMERATESCHEDULES_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_ENUMERATESCHEDULES_H

#include "compiler/target/cuda/gemm/EstimatedSchedule.h"
#include "compiler/target/cuda/gemm_sm80/GemmSm80Geometry.h"

namespace minic::cuda {

using EstimatedSchedule = Estimated<GemmSm80Schedule>;

/// Programmatic launches that are offered once more with fewer stages.
inline constexpr size_t maxShallowSchedules = 6;

/// Schedules for `shape` that fit `profile`'s device, best estimate first, at
/// most `limit`, those shallow ones and clusters, unless all are asked for;
/// none only where no block fits.
std::vector<EstimatedSchedule>
enumerateSchedules(const kernel::FusionShape &shape,
                   const DeviceProfile &profile, size_t limit = 40);

/// A rough time: waves of blocks, each bound by arithmetic, shared memory, L2
/// or latency, and the device's memory under it all.
double estimateMicroseconds(const GemmSm80Geometry &geometry,
                            const DeviceProfile &profile);

/// Why `enumerateSchedules` would offer nothing for the shape that `match`
/// finds in `fusion`; null otherwise.
std::optional<std::string> rejectSm80(
    kernel::FusionOp fusion, const DeviceProfile &profile,
    llvm::function_ref<mlir::FailureOr<kernel::FusionShape>(kernel::FusionOp,
                                                            std::string *)>
        match);

/// What a search of `family` looks at some schedules of each: what the estimate
/// is least sure of.
std::string kindOf(llvm::StringRef family, const GemmSm80Schedule &schedule,
                   bool streamsWeights);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_ENUMERATESCHEDULES_H
