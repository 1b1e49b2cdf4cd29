// SPDX-License-Identifier: Apache-2.0
//
// The C API of SQLite behind owners; every code becomes one clear line.

#include "compiler/tune/database/Sqlite.h"

#include "absl/strings/str_cat.h"

namespace minic::tune {

absl::StatusOr<std::unique_ptr<Sqlite>>
Sqlite::open(const std::string &path, int flags, double busySeconds,
             std::function<void(const std::string &)> notify) {
  std::unique_ptr<Sqlite> db(new Sqlite);
  db->path = path;
  db->busySeconds = busySeconds;
  db->notify = std::move(notify);
  int code = sqlite3_open_v2(path.c_str(), &db->handle,
                             flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    return db->error(code);
  }
  sqlite3_extended_result_codes(db->handle, 1);
  sqlite3_busy_handler(db->handle, onBusy, db.get());
  return db;
}

Sqlite::~Sqlite() { sqlite3_close(handle); }

int Sqlite::onBusy(void *self, int attempts) {
  Sqlite &db = *static_cast<Sqlite *>(self);
  if (attempts == 0) {
    db.waitedSeconds = 0;
  }
  if (db.waitedSeconds >= db.busySeconds) {
    return 0;
  }
  if (db.notify && db.waitedSeconds >= 0.2) {
    db.notify(absl::StrCat("waiting for tuning database '", db.path,
                           "', which another process holds"));
    db.notify = nullptr;
  }
  sqlite3_sleep(20);
  db.waitedSeconds += 0.02;
  return 1;
}

absl::Status Sqlite::error(int code) const {
  std::string where = absl::StrCat("tuning database '", path, "': ");
  switch (code & 0xff) {
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return absl::UnavailableError(absl::StrCat(
        where, "still locked by another process after ", busySeconds, " s"));
  case SQLITE_NOTADB:
    return absl::InvalidArgumentError(
        absl::StrCat(where, "is not a tuning database (not SQLite); it was "
                            "left as it is"));
  case SQLITE_CORRUPT:
    return absl::DataLossError(absl::StrCat(
        where, "is damaged (", handle ? sqlite3_errmsg(handle) : "corrupt",
        "); it was left as it is: move it away to start anew"));
  case SQLITE_READONLY:
  case SQLITE_CANTOPEN:
  case SQLITE_PERM:
    return absl::PermissionDeniedError(
        absl::StrCat(where, "cannot be opened for writing (",
                     handle ? sqlite3_errmsg(handle) : "", ")"));
  case SQLITE_FULL:
  case SQLITE_IOERR:
    return absl::ResourceExhaustedError(absl::StrCat(
        where, "cannot be written (", sqlite3_errmsg(handle), ")"));
  default:
    return absl::InternalError(
        absl::StrCat(where, handle ? sqlite3_errmsg(handle) : "out of memory"));
  }
}

absl::Status Sqlite::execute(const char *sql) {
  int code = sqlite3_exec(handle, sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : error(code);
}

absl::StatusOr<int64_t> Sqlite::queryInteger(const char *sql) {
  Statement statement(*this, sql);
  absl::StatusOr<bool> row = statement.step();
  if (!row.ok()) {
    return row.status();
  }
  int64_t value = 0;
  if (*row) {
    statement.read(value);
  }
  return value;
}

Statement::Statement(Sqlite &db, const char *sql) : db(db) {
  code = sqlite3_prepare_v2(db.get(), sql, -1, &handle, nullptr);
}

Statement &Statement::bind(const std::string &value) {
  if (code == SQLITE_OK) {
    code = sqlite3_bind_text(handle, ++parameter, value.data(),
                             static_cast<int>(value.size()), SQLITE_TRANSIENT);
  }
  return *this;
}

Statement &Statement::bindBlob(const std::string &bytes) {
  if (code == SQLITE_OK) {
    code = sqlite3_bind_blob64(handle, ++parameter, bytes.data(), bytes.size(),
                               SQLITE_TRANSIENT);
  }
  return *this;
}

Statement &Statement::bind(double value) {
  if (code == SQLITE_OK) {
    code = sqlite3_bind_double(handle, ++parameter, value);
  }
  return *this;
}

Statement &Statement::bind(int64_t value) {
  if (code == SQLITE_OK) {
    code = sqlite3_bind_int64(handle, ++parameter, value);
  }
  return *this;
}

absl::StatusOr<bool> Statement::step() {
  if (code != SQLITE_OK) {
    return db.error(code);
  }
  column = 0;
  switch (int result = sqlite3_step(handle)) {
  case SQLITE_ROW:
    return true;
  case SQLITE_DONE:
    return false;
  default:
    code = result;
    return db.error(result);
  }
}

absl::Status Statement::run() { return step().status(); }

void Statement::read(std::string &value) {
  const unsigned char *text = sqlite3_column_text(handle, column);
  int bytes = sqlite3_column_bytes(handle, column++);
  value = text ? std::string(reinterpret_cast<const char *>(text), bytes) : "";
}

void Statement::readBlob(std::string &bytes) {
  const void *data = sqlite3_column_blob(handle, column);
  int size = sqlite3_column_bytes(handle, column++);
  bytes = data ? std::string(static_cast<const char *>(data), size) : "";
}

void Statement::read(double &value) {
  value = sqlite3_column_double(handle, column++);
}

void Statement::read(int64_t &value) {
  value = sqlite3_column_int64(handle, column++);
}

void Statement::read(uint64_t &value) {
  value = static_cast<uint64_t>(sqlite3_column_int64(handle, column++));
}

void Statement::read(bool &value) {
  value = sqlite3_column_int64(handle, column++) != 0;
}

Transaction::~Transaction() {
  if (open) {
    (void)db.execute("ROLLBACK");
  }
}

absl::Status Transaction::begin() {
  absl::Status status = db.execute("BEGIN IMMEDIATE");
  open = status.ok();
  return status;
}

absl::Status Transaction::commit() {
  absl::Status status = db.execute("COMMIT");
  open = !status.ok();
  return status;
}

} // namespace minic::tune
