// SPDX-License-Identifier: Apache-2.0
//
// One look-up by the device's name.

#include "compiler/driver/MeasuredProfile.h"

#include "compiler/driver/LocalGpu.h"
#include "compiler/tune/bridge/TuningTasks.h"
#include "compiler/tune/bridge/Versions.h"
#include "compiler/tune/database/TuningDb.h"

namespace minic {

void findRecordsOf(DeviceProfile &profile, const CompileOptions &options) {
  tune::TuningDb::Options dbOptions;
  dbOptions.path = tune::databasePath(options);
  dbOptions.access = tune::TuningDb::Access::ReadOnly;
  absl::StatusOr<std::unique_ptr<tune::TuningDb>> db =
      tune::TuningDb::open(dbOptions);
  if (!db.ok()) {
    return;
  }
  absl::StatusOr<std::optional<tune::MeasuredDevice>> found = (*db)->findDevice(
      profile.name, tune::currentVersions(*createCudaTarget(profile)));
  if (found.ok() && *found && setTuningKey(profile, (*found)->key)) {
    profile.libraries = (*found)->libraries;
    profile.hasRecords = true;
  }
}

} // namespace minic
