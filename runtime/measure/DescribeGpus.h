// SPDX-License-Identifier: Apache-2.0
//
// DescribeGpus: the GPUs of this machine. A machine without any is no error.

#ifndef MINIC_RUNTIME_MEASURE_DESCRIBEGPUS_H
#define MINIC_RUNTIME_MEASURE_DESCRIBEGPUS_H

#include "runtime/measure/DeviceFacts.h"

namespace minic::runtime {

/// Adds the GPUs, or why there is none, and the versions of driver and
/// libraries. Opens all of them.
void describeGpus(DeviceFacts &facts);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_DESCRIBEGPUS_H
