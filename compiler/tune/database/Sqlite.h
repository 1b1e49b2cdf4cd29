// SPDX-License-Identifier: Apache-2.0
//
// Sqlite: a connection and a prepared statement with owners, and SQLite's
// error codes as one-line statuses.

#ifndef MINIC_COMPILER_TUNE_DATABASE_SQLITE_H
#define MINIC_COMPILER_TUNE_DATABASE_SQLITE_H

#include "absl/status/statusor.h"

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace minic::tune {

/// One connection; one thread at a time.
class Sqlite {
public:
  /// Opens `path` with SQLite's `flags`. While another process holds the file,
  /// waits up to `busySeconds`; `notify` is told once, in one line.
  static absl::StatusOr<std::unique_ptr<Sqlite>>
  open(const std::string &path, int flags, double busySeconds,
       std::function<void(const std::string &)> notify);
  ~Sqlite();
  Sqlite(const Sqlite &) = delete;
  Sqlite &operator=(const Sqlite &) = delete;

  /// Runs statements without results.
  absl::Status execute(const char *sql);
  /// The integer that `sql`'s first row starts with.
  absl::StatusOr<int64_t> queryInteger(const char *sql);
  int64_t lastInsertRow() const { return sqlite3_last_insert_rowid(handle); }
  int64_t changes() const { return sqlite3_changes64(handle); }

  /// What `code` means for the user: locked, damaged, foreign, unwritable.
  absl::Status error(int code) const;

  sqlite3 *get() const { return handle; }

private:
  Sqlite() = default;
  static int onBusy(void *self, int attempts);

  sqlite3 *handle = nullptr;
  std::string path;
  double busySeconds = 0;
  double waitedSeconds = 0;
  std::function<void(const std::string &)> notify;
};

/// A prepared statement. Parameters are bound in order, columns read in order.
/// The first error sticks and step() returns it.
class Statement {
public:
  Statement(Sqlite &db, const char *sql);
  ~Statement() { sqlite3_finalize(handle); }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  Statement &bind(const std::string &value);
  Statement &bindBlob(const std::string &bytes);
  Statement &bind(double value);
  Statement &bind(int64_t value);
  Statement &bind(uint64_t value) { return bind(static_cast<int64_t>(value)); }
  Statement &bind(bool value) { return bind(static_cast<int64_t>(value)); }

  /// True where there is a row to read.
  absl::StatusOr<bool> step();
  /// For statements without rows.
  absl::Status run();

  void read(std::string &value);
  void readBlob(std::string &bytes);
  void read(double &value);
  void read(int64_t &value);
  void read(uint64_t &value);
  void read(bool &value);

private:
  Sqlite &db;
  sqlite3_stmt *handle = nullptr;
  int code = SQLITE_OK;
  int parameter = 0, column = 0;
};

/// BEGIN IMMEDIATE now, ROLLBACK at the end unless committed.
class Transaction {
public:
  explicit Transaction(Sqlite &db) : db(db) {}
  ~Transaction();
  absl::Status begin();
  absl::Status commit();

private:
  Sqlite &db;
  bool open = false;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_DATABASE_SQLITE_H
