// SPDX-License-Identifier: Apache-2.0
//
// The schedules worth measuring for a GEMM, and how long each may take.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_ENUMERATESCHEDULES_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_ENUMERATESCHEDULES_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/cpu/gemm_packed/GemmGeometry.h"

#include <vector>

namespace minic::cpu {

struct EstimatedSchedule {
  GemmPackedSchedule schedule;
  double microseconds = 0;
};

/// Valid schedules for `shape`, best estimate first; at least one, at most
/// `limit` unless all are asked for. No two of them generate the same code.
std::vector<EstimatedSchedule>
enumerateSchedules(const kernel::FusionShape &shape,
                   const DeviceProfile &profile, size_t limit = 28);

/// A rough time: multiply-adds, loads, packing, cache misses, threads.
double estimateMicroseconds(const GemmGeometry &geometry,
                            const DeviceProfile &profile);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_ENUMERATESCHEDULES_H
