// SPDX-License-Identifier: Apache-2.0
//
// Opening a file that may be missing, foreign or read-only.

#include "compiler/tune/database/TuningDb.h"
#include "compiler/tune/database/Sqlite.h"
#include "compiler/tune/database/TuningDbSchema.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <filesystem>

namespace minic::tune {

std::string TuningDb::defaultPath() {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') {
    return absl::StrCat(cache, "/minic/tuning.db");
  }
  const char *home = std::getenv("HOME");
  return absl::StrCat(home && *home ? home : "/tmp", "/.cache/minic/tuning.db");
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
    status = prepareSchema(**db, options.path, write);
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
