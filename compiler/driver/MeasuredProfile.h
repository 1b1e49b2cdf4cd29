// SPDX-License-Identifier: Apache-2.0
//
// MeasuredProfile: what the tuning database knows of a GPU that is not here.

#ifndef MINIC_COMPILER_DRIVER_MEASUREDPROFILE_H
#define MINIC_COMPILER_DRIVER_MEASUREDPROFILE_H

#include "compiler/options/CompileOptions.h"
#include "compiler/target/DeviceProfile.h"

namespace minic {

/// Gives `profile`, of a device known by its name, the tuning key with its
/// facts and the library versions of the newest records of a device of this
/// name, so that they are found and estimates are the same as there. Without
/// such records `profile` stays as it is. If the database cannot be read, the
/// algorithm selector reports it.
void findRecordsOf(DeviceProfile &profile, const CompileOptions &options);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_MEASUREDPROFILE_H
