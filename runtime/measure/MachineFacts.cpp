// SPDX-License-Identifier: Apache-2.0
//
// Asks once.

#include "runtime/measure/MachineFacts.h"

#include "runtime/measure/DescribeDevice.h"
#include "runtime/measure/DescribeGpus.h"

namespace minic::runtime {

const DeviceFacts &MachineFacts::get(bool gpus) {
  if (!facts) {
    facts = describeDevice();
  }
  if (gpus && !gpusDescribed) {
    describeGpus(*facts);
    gpusDescribed = true;
  }
  return *facts;
}

const GpuFacts *MachineFacts::findGpu(int index) {
  for (const GpuFacts &gpu : get(/*gpus=*/true).gpus) {
    if (gpu.index == index) {
      return &gpu;
    }
  }
  return nullptr;
}

} // namespace minic::runtime
