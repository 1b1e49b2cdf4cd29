// SPDX-License-Identifier: Apache-2.0
//
// TuningDb: everything that was measured, in one SQLite file. Rows are
// committed as they come, so that a kill at any moment loses at most the
// candidate in flight; a file that is damaged, foreign, newer or not writable
// is one clear error and is never changed.

#ifndef MINIC_COMPILER_TUNE_DATABASE_TUNINGDB_H
#define MINIC_COMPILER_TUNE_DATABASE_TUNINGDB_H

#include "compiler/tune/database/Verdict.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <functional>
#include <memory>

namespace minic::tune {

class Sqlite;

enum class Freshness {
  Fresh,      // may be used
  Unfinished, // the search was killed; its rows save work
  Stale,      // only one of other versions is there
  Miss
};

struct Lookup {
  Freshness freshness = Freshness::Miss;
  /// Fresh and Unfinished: what was found.
  Record record;
  /// Not Fresh: the latest finished one of other versions, where there is one.
  /// Some of its rows may be fresh, see SourceVersions.h.
  std::optional<Record> stale;
};

struct PruneOptions {
  bool unfinished = false; // searches that never ended
  bool superseded = false; // records with a later one of the same problem
  int64_t olderThanDays = -1;
  bool all = false;
};

struct ImportCounts {
  int64_t added = 0, replaced = 0, kept = 0, verdicts = 0;
};

/// A device as records have it.
struct MeasuredDevice {
  std::string key, libraries; // ProblemSpec::device, Versions::libraries
};

/// What an assembler made, and what it said.
struct StoredBinary {
  std::string bytes, log;
};

/// One connection; one thread at a time. Any number of processes may use one
/// file. Errors name the file and say what is wrong with it.
class TuningDb {
public:
  enum class Access { ReadWrite, ReadOnly };
  struct Options {
    std::string path;
    Access access = Access::ReadWrite;
    /// How long to wait for another process that holds the file.
    double busySeconds = 10;
    /// Told once, in one line, when waiting starts.
    std::function<void(const std::string &)> notify;
  };

  /// $XDG_CACHE_HOME/minic/tuning.db, else ~/.cache/minic/tuning.db.
  static std::string defaultPath();

  /// ReadWrite creates the file and its folder. ReadOnly is NotFound where
  /// there is no file.
  static absl::StatusOr<std::unique_ptr<TuningDb>> open(const Options &options);
  ~TuningDb();

  /// The record of `problem` (key, device, backends) with its versions, and
  /// where that is not finished the latest with others.
  absl::StatusOr<Lookup> find(const ProblemSpec &problem);
  /// The device of the newest finished record whose deviceName is `name`; of
  /// those of `versions`' sources, where there are any.
  absl::StatusOr<std::optional<MeasuredDevice>>
  findDevice(const std::string &name, const Versions &versions);

  /// Starts a search over `candidates` candidates: a new record in state
  /// running, or the one that is there with its rows. `restart`: always a new
  /// one; what is there stays until finish(). Returns the record's id.
  absl::StatusOr<int64_t> begin(const ProblemSpec &problem, int64_t candidates,
                                bool restart);
  /// Adds or replaces one row of a running record; does nothing to a record
  /// that another process has finished meanwhile.
  absl::Status putRow(int64_t record, const Row &row);
  /// Ends the search: replaces all rows by `record.rows`, with state, coverage
  /// and seconds, in one step. Where another process finished it first, that
  /// result is kept and returned instead, so that all agree. A provisional
  /// record that is there gives way to a better one only (isBetter); otherwise
  /// it is kept, with one search more, and returned.
  absl::StatusOr<Record> finish(int64_t id, const Record &record);

  absl::StatusOr<std::optional<Verdict>> findVerdict(const std::string &plan,
                                                     const std::string &device,
                                                     const Versions &versions);
  absl::Status putVerdict(const Verdict &verdict);

  /// Assembled kernels, by all that they depend on; the last few hundred are
  /// kept. What is damaged is not found.
  absl::StatusOr<std::optional<StoredBinary>>
  findBinary(const std::string &key);
  absl::Status putBinary(const std::string &key, const StoredBinary &binary);
  /// How many there are.
  absl::StatusOr<int64_t> binaries();

  /// All records with their rows, by description; all verdicts.
  absl::StatusOr<std::vector<Record>> records();
  absl::StatusOr<std::vector<Verdict>> verdicts();

  /// All that was measured as JSON text.
  absl::StatusOr<std::string> exportJson();
  /// Merges what exportJson wrote, all of it or nothing. Complete records win
  /// over provisional ones, these over partial ones; of two provisional ones
  /// that with less noise, of others the later; unfinished ones are ignored.
  absl::StatusOr<ImportCounts> importJson(const std::string &text);
  /// Returns the number of records removed.
  absl::StatusOr<int64_t> prune(const PruneOptions &options);

private:
  explicit TuningDb(std::unique_ptr<Sqlite> db);
  absl::StatusOr<std::vector<Record>> load(const std::string &where,
                                           absl::Span<const std::string> values,
                                           absl::Span<const int64_t> ids);
  // Inside the caller's transaction.
  absl::StatusOr<int64_t> openRecord(const ProblemSpec &problem,
                                     int64_t candidates, bool restart);
  absl::Status insertRow(int64_t record, const Row &row);
  absl::Status closeRecord(int64_t id, const Record &record);
  /// What is stored of a search that ended with `record`, beside an earlier one
  /// of the same problem and versions that ended provisional, if any.
  absl::StatusOr<Record> settleProvisional(int64_t id, Record record);

  std::unique_ptr<Sqlite> db;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_DATABASE_TUNINGDB_H
