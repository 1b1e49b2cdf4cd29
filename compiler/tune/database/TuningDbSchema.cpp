// SPDX-License-Identifier: Apache-2.0
//
// Tables and their versions. Records outlive a change of the schema; what is
// measured again within a second is dropped instead of being converted.

#include "compiler/tune/database/TuningDbSchema.h"

#include "absl/strings/str_cat.h"

namespace minic::tune {

/// "MNCT": tells our files from other programs'.
static constexpr int64_t applicationId = 0x4d4e4354;
static constexpr int64_t schemaVersion = 9;

static constexpr const char *createRecords = R"sql(
PRAGMA application_id = 1296974676;
CREATE TABLE record(
  id INTEGER PRIMARY KEY,
  problem TEXT NOT NULL, device TEXT NOT NULL, backends TEXT NOT NULL,
  codegen TEXT NOT NULL, candidate_set TEXT NOT NULL, onednn TEXT NOT NULL,
  text TEXT NOT NULL, description TEXT NOT NULL, device_name TEXT NOT NULL,
  flops INTEGER NOT NULL, bytes INTEGER NOT NULL,
  state TEXT NOT NULL, candidates INTEGER NOT NULL, coverage REAL NOT NULL,
  build_seconds REAL NOT NULL, verify_seconds REAL NOT NULL,
  measure_seconds REAL NOT NULL, created TEXT NOT NULL);
CREATE INDEX record_by_problem ON record(problem, device, backends);
CREATE TABLE row(
  record INTEGER NOT NULL REFERENCES record(id) ON DELETE CASCADE,
  name TEXT NOT NULL, label TEXT NOT NULL, choice TEXT NOT NULL,
  estimate_us REAL NOT NULL, launches INTEGER NOT NULL,
  needs_library INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
  build_ms REAL NOT NULL, binary_hash TEXT NOT NULL, screen_us REAL NOT NULL,
  time_us REAL NOT NULL, time_error REAL NOT NULL, ratio REAL NOT NULL,
  ratio_low REAL NOT NULL, ratio_high REAL NOT NULL,
  worst_error REAL NOT NULL, max_absolute_error REAL NOT NULL,
  scratch_bytes INTEGER NOT NULL, deterministic INTEGER NOT NULL,
  samples_us TEXT NOT NULL,
  UNIQUE(record, name));
)sql";

/// What records have since version 4.
static constexpr const char *addClocks = R"sql(
ALTER TABLE record ADD COLUMN clock_low_mhz REAL NOT NULL DEFAULT 0;
ALTER TABLE record ADD COLUMN clock_high_mhz REAL NOT NULL DEFAULT 0;
)sql";

/// What records have since version 5.
static constexpr const char *addNoise = R"sql(
ALTER TABLE record ADD COLUMN noise_spread REAL NOT NULL DEFAULT 0;
ALTER TABLE record ADD COLUMN noise_others REAL NOT NULL DEFAULT 0;
ALTER TABLE record ADD COLUMN noise_cores INTEGER NOT NULL DEFAULT 0;
ALTER TABLE record ADD COLUMN provisional_searches INTEGER NOT NULL DEFAULT 0;
)sql";

/// What records have since version 6; those that are there have unknown
/// sources.
static constexpr const char *addSources = R"sql(
ALTER TABLE record DROP COLUMN codegen;
ALTER TABLE record DROP COLUMN candidate_set;
ALTER TABLE record RENAME COLUMN onednn TO libraries;
ALTER TABLE record ADD COLUMN sources TEXT NOT NULL DEFAULT '{}';
ALTER TABLE row ADD COLUMN sources TEXT NOT NULL DEFAULT '';
)sql";

/// What is soon measured or built again: a database before version 6 loses it.
static constexpr const char *createDerived = R"sql(
DROP TABLE IF EXISTS verdict;
DROP TABLE IF EXISTS binary;
CREATE TABLE binary(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, hash TEXT NOT NULL,
  log TEXT NOT NULL, bytes BLOB NOT NULL, created TEXT NOT NULL);
CREATE TABLE verdict(
  plan TEXT NOT NULL, device TEXT NOT NULL, sources TEXT NOT NULL,
  libraries TEXT NOT NULL, description TEXT NOT NULL,
  tuned_us REAL NOT NULL, default_us REAL NOT NULL, ratio REAL NOT NULL,
  ratio_low REAL NOT NULL, ratio_high REAL NOT NULL,
  tuned_call_us REAL NOT NULL, default_call_us REAL NOT NULL,
  call_ratio REAL NOT NULL, call_ratio_low REAL NOT NULL,
  call_ratio_high REAL NOT NULL,
  tuned_ships INTEGER NOT NULL, reason TEXT NOT NULL, created TEXT NOT NULL,
  clock_low_mhz REAL NOT NULL, clock_high_mhz REAL NOT NULL,
  provisional INTEGER NOT NULL, provisional_searches INTEGER NOT NULL,
  noise_spread REAL NOT NULL, noise_others REAL NOT NULL,
  noise_cores INTEGER NOT NULL,
  PRIMARY KEY(plan, device, sources, libraries));
)sql";

/// What verdicts have since version 7.
static constexpr const char *addTrials = R"sql(
ALTER TABLE verdict ADD COLUMN trials TEXT NOT NULL DEFAULT '[]';
)sql";

/// What records have since version 8; of those that are there it is not known.
static constexpr const char *addLegal = R"sql(
ALTER TABLE record ADD COLUMN legal INTEGER NOT NULL DEFAULT 0;
)sql";

/// What records and rows have since version 9: older ones know no descent.
static constexpr const char *addDescent = R"sql(
ALTER TABLE record ADD COLUMN descended INTEGER NOT NULL DEFAULT 0;
ALTER TABLE row ADD COLUMN found_from TEXT NOT NULL DEFAULT '';
PRAGMA user_version = 9;
)sql";

namespace {
enum class State { Empty, Older, Current };
} // namespace

static absl::StatusOr<State> stateOf(Sqlite &db, const std::string &path) {
  // Of one moment: another process may be creating the tables.
  absl::Status status = db.execute("SAVEPOINT state");
  if (!status.ok()) {
    return status;
  }
  absl::StatusOr<int64_t> id = db.queryInteger("PRAGMA application_id");
  absl::StatusOr<int64_t> version = db.queryInteger("PRAGMA user_version");
  absl::StatusOr<int64_t> objects =
      db.queryInteger("SELECT count(*) FROM sqlite_master");
  status = db.execute("RELEASE state");
  for (const auto &value : {id, version, objects}) {
    if (!value.ok()) {
      return value.status();
    }
  }
  if (!status.ok()) {
    return status;
  }
  if (*id == 0 && *version == 0 && *objects == 0) {
    return State::Empty;
  }
  if (*id != applicationId) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tuning database '", path,
        "': is a database of another program; it was left as it is"));
  }
  if (*version < 1 || *version > schemaVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("tuning database '", path, "': has schema version ",
                     *version, ", this minic reads versions 1 to ",
                     schemaVersion, "; it was left as it is"));
  }
  return *version < schemaVersion ? State::Older : State::Current;
}

/// Brings the tables of version `from`, 0 for none, up to date.
static absl::Status bringUpToDate(Sqlite &db, int64_t from) {
  absl::Status status;
  if (from == 0) {
    status.Update(db.execute(createRecords));
  }
  if (status.ok() && from < 4) {
    status.Update(db.execute(addClocks));
  }
  if (status.ok() && from < 5) {
    status.Update(db.execute(addNoise));
  }
  if (status.ok() && from < 6) {
    status.Update(db.execute(addSources));
  }
  if (status.ok() && from < 6) {
    status.Update(db.execute(createDerived));
  }
  if (status.ok() && from < 7) {
    status.Update(db.execute(addTrials));
  }
  if (status.ok() && from < 8) {
    status.Update(db.execute(addLegal));
  }
  if (status.ok()) {
    status.Update(db.execute(addDescent));
  }
  return status;
}

absl::Status prepareSchema(Sqlite &db, const std::string &path, bool write) {
  absl::StatusOr<State> state = stateOf(db, path);
  if (!state.ok() || *state == State::Current) {
    return state.status();
  }
  if (!write) {
    return *state == State::Older
               ? absl::OkStatus()
               : absl::NotFoundError(
                     absl::StrCat("tuning database '", path, "': is empty"));
  }
  // Switching to WAL does not wait for other processes by itself; one that is
  // creating the same file is done within a moment.
  for (int attempt = 0;; ++attempt) {
    absl::Status status = db.execute("PRAGMA journal_mode = WAL");
    if (status.ok()) {
      break;
    }
    if (!absl::IsUnavailable(status) || attempt == 100) {
      return status;
    }
    sqlite3_sleep(10);
  }
  Transaction transaction(db);
  if (absl::Status status = transaction.begin(); !status.ok()) {
    return status;
  }
  // Another process may have done it while this one waited.
  state = stateOf(db, path);
  if (!state.ok() || *state == State::Current) {
    return state.status();
  }
  absl::StatusOr<int64_t> version = versionOf(db);
  if (!version.ok()) {
    return version.status();
  }
  absl::Status status = bringUpToDate(db, *version);
  return status.ok() ? transaction.commit() : status;
}

absl::StatusOr<int64_t> versionOf(Sqlite &db) {
  return db.queryInteger("PRAGMA user_version");
}

absl::StatusOr<bool> isCurrent(Sqlite &db) {
  absl::StatusOr<int64_t> version = versionOf(db);
  if (!version.ok()) {
    return version.status();
  }
  return *version == schemaVersion;
}

} // namespace minic::tune
