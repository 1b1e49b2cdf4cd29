// SPDX-License-Identifier: Apache-2.0
//
// What was measured on a device that is known by its name alone.

#include "compiler/tune/database/TuningDb.h"
#include "compiler/tune/database/TuningDbSchema.h"
#include "compiler/tune/database/VersionColumns.h"

#include "absl/strings/str_cat.h"

namespace minic::tune {

absl::StatusOr<std::optional<MeasuredDevice>>
TuningDb::findDevice(const std::string &name, const Versions &versions) {
  absl::StatusOr<bool> current = isCurrent(*db);
  if (!current.ok()) {
    return current.status();
  }
  std::string sql = absl::StrCat(
      "SELECT device, ", *current ? "libraries" : "onednn", " FROM record ",
      "WHERE device_name = ?1 AND state != 'running' ORDER BY ",
      *current ? "sources = ?2 DESC, " : "", "created DESC, id DESC LIMIT 1");
  Statement statement(*db, sql.c_str());
  statement.bind(name);
  if (*current) {
    statement.bind(sourcesText(versions));
  }
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
