// SPDX-License-Identifier: Apache-2.0
//
// What was measured on a device that is known by its name alone.

#include "compiler/tune/TuningDb.h"
#include "compiler/tune/VersionColumns.h"

namespace minic::tune {

absl::StatusOr<std::optional<MeasuredDevice>>
TuningDb::findDevice(const std::string &name, const Versions &versions) {
  Statement statement(*db, "SELECT device, onednn FROM record "
                           "WHERE device_name = ? AND state != 'running' "
                           "ORDER BY codegen = ? AND candidate_set = ? DESC, "
                           "created DESC, id DESC LIMIT 1");
  statement.bind(name).bind(versions.codegen).bind(versions.candidateSet);
  absl::StatusOr<bool> row = statement.step();
  if (!row.ok()) {
    return row.status();
  }
  if (!*row) {
    return std::nullopt;
  }
  MeasuredDevice device;
  statement.read(device.key);
  statement.read(device.libraries);
  return device;
}

} // namespace minic::tune
