// SPDX-License-Identifier: Apache-2.0

#include "runtime/measure/DescribeGpus.h"

namespace minic::runtime {

void describeGpus(DeviceFacts &facts) {
  facts.gpuProblem = "this build has no CUDA";
}

} // namespace minic::runtime
