// SPDX-License-Identifier: Apache-2.0
//
// Assembled kernels. They are no measurements: losing one costs the time to
// assemble it again, so that nothing here is exported and damage is a miss.

#include "compiler/tune/database/Sqlite.h"
#include "compiler/tune/database/TuningDb.h"
#include "compiler/tune/database/TuningDbSchema.h"

#include "absl/strings/str_format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace minic::tune {

/// Those of the models that were tuned last, some tens of KiB each.
static constexpr const char *dropOldest =
    "DELETE FROM binary WHERE id NOT IN "
    "(SELECT id FROM binary ORDER BY id DESC LIMIT 256)";

static std::string hashOf(const StoredBinary &binary) {
  XXH128_hash_t bytes = XXH3_128bits(binary.bytes.data(), binary.bytes.size());
  XXH64_hash_t log = XXH3_64bits(binary.log.data(), binary.log.size());
  return absl::StrFormat("%016x%016x%016x", bytes.high64, bytes.low64, log);
}

absl::StatusOr<std::optional<StoredBinary>>
TuningDb::findBinary(const std::string &key) {
  absl::StatusOr<bool> current = isCurrent(*db);
  if (!current.ok()) {
    return current.status();
  }
  if (!*current) {
    return std::nullopt;
  }
  Statement statement(*db, "SELECT hash, log, bytes FROM binary WHERE key = ?");
  statement.bind(key);
  absl::StatusOr<bool> row = statement.step();
  if (!row.ok()) {
    return row.status();
  }
  if (!*row) {
    return std::nullopt;
  }
  std::string hash;
  StoredBinary binary;
  statement.read(hash);
  statement.read(binary.log);
  statement.readBlob(binary.bytes);
  if (hash != hashOf(binary)) {
    return std::nullopt;
  }
  return binary;
}

absl::Status TuningDb::putBinary(const std::string &key,
                                 const StoredBinary &binary) {
  Transaction transaction(*db);
  absl::Status status = transaction.begin();
  if (status.ok()) {
    Statement insert(*db, "INSERT OR REPLACE INTO binary(key, hash, log, "
                          "bytes, created) VALUES(?,?,?,?,?)");
    insert.bind(key).bind(hashOf(binary)).bind(binary.log);
    insert.bindBlob(binary.bytes).bind(utcNow());
    status = insert.run();
  }
  if (status.ok()) {
    status = db->execute(dropOldest);
  }
  return status.ok() ? transaction.commit() : status;
}

absl::StatusOr<int64_t> TuningDb::binaries() {
  absl::StatusOr<bool> current = isCurrent(*db);
  if (!current.ok() || !*current) {
    return current.ok() ? absl::StatusOr<int64_t>(0) : current.status();
  }
  return db->queryInteger("SELECT count(*) FROM binary");
}

} // namespace minic::tune
