// SPDX-License-Identifier: Apache-2.0
//
// OlderDatabase: makes of a current tuning database one of an earlier schema.

#ifndef MINIC_TEST_UNIT_COMPILER_TUNE_DATABASE_OLDERDATABASE_H
#define MINIC_TEST_UNIT_COMPILER_TUNE_DATABASE_OLDERDATABASE_H

#include "compiler/tune/database/Sqlite.h"

#include <gtest/gtest.h>

namespace minic::tune {

/// Takes from the tables of `path` what they have since `version` + 1.
inline void makeOlder(const std::string &path, int64_t version) {
  auto raw = Sqlite::open(path, SQLITE_OPEN_READWRITE, 1, nullptr);
  std::vector<std::string> columns = {"sources", "legal", "descended"};
  if (version < 5) {
    columns.insert(columns.end(), {"noise_spread", "noise_others",
                                   "noise_cores", "provisional_searches"});
  }
  if (version < 4) {
    columns.insert(columns.end(), {"clock_low_mhz", "clock_high_mhz"});
  }
  for (const std::string &column : columns) {
    ASSERT_TRUE(
        (*raw)
            ->execute(("ALTER TABLE record DROP COLUMN " + column).c_str())
            .ok());
  }
  ASSERT_TRUE((*raw)
                  ->execute(("ALTER TABLE row DROP COLUMN sources; "
                             "ALTER TABLE row DROP COLUMN found_from; "
                             "ALTER TABLE record ADD COLUMN codegen TEXT NOT "
                             "NULL DEFAULT '7'; ALTER TABLE record ADD COLUMN "
                             "candidate_set TEXT NOT NULL DEFAULT '12'; ALTER "
                             "TABLE record RENAME COLUMN libraries TO onednn; "
                             "DROP TABLE verdict; CREATE TABLE verdict(plan "
                             "TEXT, device TEXT, tuned_us REAL); INSERT INTO "
                             "verdict VALUES('plan', 'cuda', 9.6); "
                             "PRAGMA user_version = " +
                             std::to_string(version))
                                .c_str())
                  .ok());
}

} // namespace minic::tune

#endif // MINIC_TEST_UNIT_COMPILER_TUNE_DATABASE_OLDERDATABASE_H
