// SPDX-License-Identifier: Apache-2.0
//
// TuningDbSchema: the tables of a tuning database, and how an older one is
// brought up to date.

#ifndef MINIC_COMPILER_TUNE_DATABASE_TUNINGDBSCHEMA_H
#define MINIC_COMPILER_TUNE_DATABASE_TUNINGDBSCHEMA_H

#include "compiler/tune/database/Sqlite.h"

#include <string>

namespace minic::tune {

/// Checks that the open file is ours, or empty. With `write` an empty one gets
/// the schema, and an older one keeps its records and loses all else; without,
/// it is read as it is, and an empty one is NotFound.
absl::Status prepareSchema(Sqlite &db, const std::string &path, bool write);

/// Of the tables that the open file has; 0 where it is empty.
absl::StatusOr<int64_t> versionOf(Sqlite &db);

/// False for an older database that could not be brought up to date: it has
/// records, but nothing else that can be read.
absl::StatusOr<bool> isCurrent(Sqlite &db);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_DATABASE_TUNINGDBSCHEMA_H
