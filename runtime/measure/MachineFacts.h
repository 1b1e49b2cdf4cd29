// SPDX-License-Identifier: Apache-2.0
//
// MachineFacts: DeviceFacts, each asked for once, when they are first needed.

#ifndef MINIC_RUNTIME_MEASURE_MACHINEFACTS_H
#define MINIC_RUNTIME_MEASURE_MACHINEFACTS_H

#include "runtime/measure/DeviceFacts.h"

#include <optional>

namespace minic::runtime {

class MachineFacts {
public:
  /// Facts about GPUs are included if this or an earlier call asked for them.
  const DeviceFacts &get(bool gpus = false);
  /// Null where there is no such GPU.
  const GpuFacts *findGpu(int index);

private:
  std::optional<DeviceFacts> facts;
  bool gpusDescribed = false;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_MACHINEFACTS_H
