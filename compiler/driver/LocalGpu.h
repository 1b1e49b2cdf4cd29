// SPDX-License-Identifier: Apache-2.0
//
// LocalGpu: a GPU of this machine as a device profile.

#ifndef MINIC_COMPILER_DRIVER_LOCALGPU_H
#define MINIC_COMPILER_DRIVER_LOCALGPU_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/tune/process/Machine.h"

#include <optional>

namespace minic {

/// Gives `profile` the tuning key of a GPU, the facts in it, and the peaks that
/// follow from them. False, with nothing changed, if `key` is not of a GPU of
/// its compute capability.
bool setTuningKey(DeviceProfile &profile, const std::string &key);

/// What code generation, estimates and the tuning key use of `gpu`; none where
/// minic generates no code for its architecture. `libraries` as in
/// DeviceFacts.
std::optional<DeviceProfile>
profileOf(const runtime::GpuFacts &gpu,
          const std::map<std::string, std::string> &libraries);

/// The profile of this machine's GPU number `device`. None without an error
/// where there is no driver or no GPU; none with `error` set where the driver
/// does not work, there is no such GPU, or minic does not generate for it.
std::optional<DeviceProfile> probeGpu(tune::Machine &machine, int device,
                                      std::string &error);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_LOCALGPU_H
