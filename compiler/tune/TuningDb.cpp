// SPDX-License-Identifier: Apache-2.0
//
// The schema, and opening a file that may be missing, foreign or read-only.

#include "compiler/tune/TuningDb.h"
#include "compiler/tune/Sqlite.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <filesystem>

namespace minic::tune {

/// "MNCT": tells our files from other programs'.
static constexpr int64_t applicationId = 0x4d4e4354;
static constexpr int64_t schemaVersion = 1;

static constexpr const char *createSchema = R"sql(
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
CREATE TABLE verdict(
  plan TEXT NOT NULL, device TEXT NOT NULL, codegen TEXT NOT NULL,
  candidate_set TEXT NOT NULL, onednn TEXT NOT NULL, description TEXT NOT NULL,
  tuned_us REAL NOT NULL, default_us REAL NOT NULL, ratio REAL NOT NULL,
  ratio_low REAL NOT NULL, ratio_high REAL NOT NULL,
  tuned_ships INTEGER NOT NULL, created TEXT NOT NULL,
  PRIMARY KEY(plan, device, codegen, candidate_set, onednn));
PRAGMA application_id = 1296974676;
PRAGMA user_version = 1;
)sql";

std::string TuningDb::defaultPath() {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') {
    return absl::StrCat(cache, "/minic/tuning.db");
  }
  const char *home = std::getenv("HOME");
  return absl::StrCat(home && *home ? home : "/tmp", "/.cache/minic/tuning.db");
}

/// Checks that the open file is ours, or empty; an empty one gets the schema.
static absl::Status checkOrCreateSchema(Sqlite &db, const std::string &path,
                                        bool write) {
  auto isEmpty = [&]() -> absl::StatusOr<bool> {
    absl::StatusOr<int64_t> id = db.queryInteger("PRAGMA application_id");
    absl::StatusOr<int64_t> version = db.queryInteger("PRAGMA user_version");
    absl::StatusOr<int64_t> objects =
        db.queryInteger("SELECT count(*) FROM sqlite_master");
    for (const auto &value : {id, version, objects}) {
      if (!value.ok()) {
        return value.status();
      }
    }
    if (*id == 0 && *version == 0 && *objects == 0) {
      return true;
    }
    if (*id != applicationId) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tuning database '", path,
          "': is a database of another program; it was left as it is"));
    }
    if (*version != schemaVersion) {
      return absl::InvalidArgumentError(
          absl::StrCat("tuning database '", path, "': has schema version ",
                       *version, ", this minic reads version ", schemaVersion,
                       "; it was left as it is"));
    }
    return false;
  };
  absl::StatusOr<bool> empty = isEmpty();
  if (!empty.ok() || !*empty) {
    return empty.status();
  }
  if (!write) {
    return absl::NotFoundError(
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
  // Another process may have created it while this one waited.
  empty = isEmpty();
  if (!empty.ok() || !*empty) {
    return empty.status();
  }
  if (absl::Status status = db.execute(createSchema); !status.ok()) {
    return status;
  }
  return transaction.commit();
}

/// A URI for a file that cannot change, such as one on a read-only medium.
static std::string immutableUri(const std::string &path) {
  std::string uri = "file:";
  for (char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      uri += c == '?' ? "%3f" : c == '#' ? "%23" : "%25";
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

static absl::StatusOr<std::unique_ptr<Sqlite>>
openChecked(const TuningDb::Options &options, const std::string &file,
            int flags) {
  bool write = options.access == TuningDb::Access::ReadWrite;
  absl::StatusOr<std::unique_ptr<Sqlite>> db =
      Sqlite::open(file, flags, options.busySeconds, options.notify);
  if (!db.ok()) {
    return db.status();
  }
  if (write && sqlite3_db_readonly((*db)->get(), "main") == 1) {
    return (*db)->error(SQLITE_READONLY);
  }
  absl::Status status = (*db)->execute("PRAGMA foreign_keys = ON;"
                                       "PRAGMA synchronous = NORMAL;");
  if (status.ok()) {
    status = checkOrCreateSchema(**db, options.path, write);
  }
  if (!status.ok()) {
    return status;
  }
  return db;
}

absl::StatusOr<std::unique_ptr<TuningDb>>
TuningDb::open(const Options &options) {
  namespace fs = std::filesystem;
  std::error_code error;
  bool write = options.access == Access::ReadWrite;
  fs::path path(options.path);
  if (!write && !fs::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat("tuning database '", options.path,
                                            "': there is no such file"));
  }
  if (fs::is_directory(path, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat("tuning database '", options.path, "': is a folder"));
  }
  if (write && path.has_parent_path()) {
    fs::create_directories(path.parent_path(), error);
    if (error) {
      return absl::PermissionDeniedError(absl::StrCat(
          "tuning database '", options.path,
          "': its folder cannot be created (", error.message(), ")"));
    }
  }
  absl::StatusOr<std::unique_ptr<Sqlite>> db =
      openChecked(options, options.path,
                  write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                        : SQLITE_OPEN_READONLY);
  if (!write && absl::IsPermissionDenied(db.status())) {
    // Reading in WAL mode needs a file beside the database; where none can be
    // made, nobody can be writing either.
    db = openChecked(options, immutableUri(options.path),
                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  }
  if (!db.ok()) {
    return db.status();
  }
  return std::unique_ptr<TuningDb>(new TuningDb(*std::move(db)));
}

TuningDb::TuningDb(std::unique_ptr<Sqlite> db) : db(std::move(db)) {}
TuningDb::~TuningDb() = default;

} // namespace minic::tune
