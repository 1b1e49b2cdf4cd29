// SPDX-License-Identifier: Apache-2.0
//
// MeasuredProfile: what the tuning database, or minic's own records, know of a
// GPU that is not here.

#ifndef MINIC_COMPILER_DRIVER_MEASUREDPROFILE_H
#define MINIC_COMPILER_DRIVER_MEASUREDPROFILE_H

#include "compiler/options/CompileOptions.h"
#include "compiler/target/DeviceProfile.h"
#include "compiler/tune/bridge/ShippedDb.h"

namespace minic {

/// Gives `profile`, of a device known by its name, the tuning key with its
/// facts and the library versions of the newest records of a device of this
/// name, so that they are found and estimates are the same as there: records of
/// the database, else shipped ones. Without such records `profile` stays as it
/// is. If the database cannot be read, the algorithm selector reports it.
void findRecordsOf(DeviceProfile &profile, const CompileOptions &options,
                   tune::ShippedDb &shipped);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_MEASUREDPROFILE_H
