// SPDX-License-Identifier: Apache-2.0
//
// One function of NVML.

#include "runtime/measure/GpuClock.h"

#include "runtime/measure/Nvml.h"

namespace minic::runtime {

GpuClock::~GpuClock() = default;

GpuClock::GpuClock(const std::string &uuid) : nvml(std::make_unique<Nvml>()) {
  if (nvml->problem.empty() && nvml->getHandle(uuid.c_str(), &device) != 0) {
    device = nullptr;
  }
}

double GpuClock::smMHz() const {
  unsigned mhz = 0;
  if (!device || nvml->getClock(device, Nvml::smClock, &mhz) != 0) {
    return 0;
  }
  return mhz;
}

} // namespace minic::runtime
