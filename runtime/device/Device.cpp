// SPDX-License-Identifier: Apache-2.0
//
// The one place that names the devices.

#include "runtime/device/Device.h"

#include "runtime/device/cpu/CpuDevice.h"

namespace minic::runtime {

const Device *findDevice(const std::string &target) {
  if (target == "cpu") {
    return &cpuDevice();
  }
  return nullptr;
}

} // namespace minic::runtime
