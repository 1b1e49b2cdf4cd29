// SPDX-License-Identifier: Apache-2.0
//
// The schedules of rows that are worth measuring, and what they may take.

#ifndef MINIC_COMPILER_TARGET_CUDA_ROWS_ENUMERATEROWS_H
#define MINIC_COMPILER_TARGET_CUDA_ROWS_ENUMERATEROWS_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/cuda/rows/RowSchedule.h"

#include <vector>

namespace minic::cuda {

/// Bytes of a fusion's operands and results.
struct RowTraffic {
  double read = 0, written = 0;
};

struct EstimatedRows {
  RowSchedule schedule;
  double microseconds;
};

/// Best estimate first; at least one.
std::vector<EstimatedRows> enumerateRows(const RowFusion &rows,
                                         const RowTraffic &traffic,
                                         const DeviceProfile &profile);

double estimateMicroseconds(const RowFusion &rows, const RowTraffic &traffic,
                            const RowSchedule &schedule,
                            const DeviceProfile &profile);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ROWS_ENUMERATEROWS_H
