// SPDX-License-Identifier: Apache-2.0
//
// DescribeDevice: the facts about this machine that change speed.

#ifndef MINIC_RUNTIME_MEASURE_DESCRIBEDEVICE_H
#define MINIC_RUNTIME_MEASURE_DESCRIBEDEVICE_H

#include "runtime/measure/DeviceFacts.h"

namespace minic::runtime {

/// Nothing is measured. Opens the libraries that plans may call, to ask their
/// versions; the first call takes milliseconds.
DeviceFacts describeDevice();

/// Bytes of the largest cache, or 32 MiB where the system does not say.
int64_t lastLevelCacheBytes(const DeviceFacts &facts);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_DESCRIBEDEVICE_H
