// SPDX-License-Identifier: Apache-2.0
//
// Look-ups by the device's name.

#include "compiler/driver/MeasuredProfile.h"

#include "compiler/driver/LocalGpu.h"
#include "compiler/tune/bridge/TuningTasks.h"
#include "compiler/tune/bridge/Versions.h"
#include "compiler/tune/database/TuningDb.h"

#include <algorithm>

namespace minic {

/// Whether `profile` is of `device` now.
static bool take(DeviceProfile &profile, const tune::MeasuredDevice &device,
                 const char *whose) {
  if (!setTuningKey(profile, device.key)) {
    return false;
  }
  profile.libraries = device.libraries;
  profile.records = whose;
  return true;
}

static std::optional<tune::MeasuredDevice>
findInDatabase(const DeviceProfile &profile, const CompileOptions &options) {
  tune::TuningDb::Options dbOptions;
  dbOptions.path = tune::databasePath(options);
  dbOptions.access = tune::TuningDb::Access::ReadOnly;
  absl::StatusOr<std::unique_ptr<tune::TuningDb>> db =
      tune::TuningDb::open(dbOptions);
  if (!db.ok()) {
    return std::nullopt;
  }
  absl::StatusOr<std::optional<tune::MeasuredDevice>> found = (*db)->findDevice(
      profile.name, tune::currentVersions(*createCudaTarget(profile)));
  return found.ok() ? *found : std::nullopt;
}

void findRecordsOf(DeviceProfile &profile, const CompileOptions &options,
                   tune::ShippedDb &shipped) {
  std::optional<tune::MeasuredDevice> device = findInDatabase(profile, options);
  if (device && take(profile, *device, "the tuning database")) {
    return;
  }
  const tune::ShippedRecords *records = shipped.recordsOf(profile.name);
  if (!records || records->records.empty()) {
    return;
  }
  auto newest =
      std::max_element(records->records.begin(), records->records.end(),
                       [](const tune::Record &a, const tune::Record &b) {
                         return a.created < b.created;
                       });
  take(profile, {newest->problem.device, newest->problem.versions.libraries},
       "minic");
}

} // namespace minic
