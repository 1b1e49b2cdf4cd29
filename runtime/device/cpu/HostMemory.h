// SPDX-License-Identifier: Apache-2.0
//
// The host's memory as a DeviceMemory.

#ifndef MINIC_RUNTIME_DEVICE_CPU_HOSTMEMORY_H
#define MINIC_RUNTIME_DEVICE_CPU_HOSTMEMORY_H

#include "runtime/device/Device.h"

namespace minic::runtime {

const DeviceMemory &hostMemory();

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_HOSTMEMORY_H
