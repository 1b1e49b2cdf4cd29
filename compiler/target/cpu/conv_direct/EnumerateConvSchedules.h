// SPDX-License-Identifier: Apache-2.0
//
// The schedules of a convolution that are worth measuring.

#ifndef MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_ENUMERATECONVSCHEDULES_H
#define MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_ENUMERATECONVSCHEDULES_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/cpu/conv_direct/ConvDirectGeometry.h"

#include <vector>

namespace minic::cpu {

struct EstimatedConvSchedule {
  ConvDirectSchedule schedule;
  double microseconds = 0;
};

/// At most `limit` schedules unless all are asked for, best estimate first;
/// empty where none can implement `shape`, with the reason of the last one.
std::vector<EstimatedConvSchedule>
enumerateConvSchedules(const kernel::FusionShape &shape,
                       const DeviceProfile &profile, std::string *reason,
                       size_t limit = 16);

/// Expected time of one run.
double estimateMicroseconds(const ConvDirectGeometry &geometry,
                            const DeviceProfile &profile);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_ENUMERATECONVSCHEDULES_H
