// SPDX-License-Identifier: Apache-2.0
//
// The schedules worth measuring for a GEMM of AMX tiles, and how long each may
// take.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_AMX_ENUMERATESCHEDULES_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_AMX_ENUMERATESCHEDULES_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/cpu/gemm_amx/GemmAmxGeometry.h"

#include <vector>

namespace minic::cpu {

struct EstimatedAmxSchedule {
  GemmAmxSchedule schedule;
  double microseconds = 0;
};

/// Valid schedules for `shape`, a bf16 contraction with K above 0, best
/// estimate first; at least one, at most `limit` unless all are asked for. No
/// two of them generate the same code.
std::vector<EstimatedAmxSchedule>
enumerateAmxSchedules(const kernel::FusionShape &shape,
                      const DeviceProfile &profile, size_t limit = 16);

/// A rough time: products, loads, packing, weights, the epilogue's memory,
/// threads.
double estimateMicroseconds(const kernel::FusionShape &shape,
                            const GemmAmxGeometry &geometry,
                            const DeviceProfile &profile);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_AMX_ENUMERATESCHEDULES_H
