// SPDX-License-Identifier: Apache-2.0
//
// The CPU as a Device.

#ifndef MINIC_RUNTIME_DEVICE_CPU_CPUDEVICE_H
#define MINIC_RUNTIME_DEVICE_CPU_CPUDEVICE_H

#include "runtime/device/Device.h"

namespace minic::runtime {

const Device &cpuDevice();

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_CPUDEVICE_H
