// SPDX-License-Identifier: Apache-2.0
//
// LocalCpu: facts about this machine's CPU that only a look at it tells.

#ifndef MINIC_COMPILER_DRIVER_LOCALCPU_H
#define MINIC_COMPILER_DRIVER_LOCALCPU_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/tune/process/Machine.h"

namespace minic {

/// Completes `profile`, which is of this machine: whether oneDNN opens, and
/// what a team of its threads costs (JoinCosts). Asks a worker, which takes a
/// few milliseconds; `profile` stays as it is where none answers.
void describeLocalCpu(tune::Machine &machine, DeviceProfile &profile);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_LOCALCPU_H
