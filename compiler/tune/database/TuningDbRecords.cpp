// SPDX-License-Identifier: Apache-2.0
//
// Records: listing, find, and searches in progress (begin, putRow, finish).

#include "compiler/tune/database/NoiseColumns.h"
#include "compiler/tune/database/Provisional.h"
#include "compiler/tune/database/TuningDb.h"
#include "compiler/tune/database/TuningDbSchema.h"
#include "compiler/tune/database/VersionColumns.h"

#include "absl/strings/str_cat.h"

#include <nlohmann/json.hpp>

namespace minic::tune {

static constexpr const char *recordColumns =
    "SELECT id, problem, device, backends, text, description, device_name, "
    "flops, bytes, state, candidates, "
    "coverage, build_seconds, verify_seconds, measure_seconds, created, ";

/// But for the columns that older tables do not have.
static constexpr const char *rowColumns =
    "SELECT name, label, choice, estimate_us, launches, needs_library, status, "
    "reason, build_ms, binary_hash, screen_us, time_us, time_error, ratio, "
    "ratio_low, ratio_high, worst_error, max_absolute_error, scratch_bytes, "
    "deterministic, samples_us, ";

static absl::StatusOr<std::vector<Row>> loadRows(Sqlite &db, int64_t record,
                                                 int64_t version) {
  std::vector<Row> rows;
  std::string sql = absl::StrCat(rowColumns, version < 6 ? "''" : "sources",
                                 version < 9 ? ", ''" : ", found_from",
                                 " FROM row WHERE record = ? ORDER BY rowid");
  Statement statement(db, sql.c_str());
  statement.bind(record);
  while (true) {
    absl::StatusOr<bool> more = statement.step();
    if (!more.ok()) {
      return more.status();
    }
    if (!*more) {
      return rows;
    }
    Row &row = rows.emplace_back();
    std::string status, samples;
    statement.read(row.candidate.name);
    statement.read(row.candidate.label);
    statement.read(row.candidate.choice);
    statement.read(row.candidate.estimateUs);
    statement.read(row.candidate.launches);
    statement.read(row.candidate.needsLibrary);
    statement.read(status);
    statement.read(row.reason);
    statement.read(row.buildMs);
    statement.read(row.binaryHash);
    statement.read(row.screenUs);
    statement.read(row.timeUs);
    statement.read(row.timeError);
    statement.read(row.ratio);
    statement.read(row.ratioLow);
    statement.read(row.ratioHigh);
    statement.read(row.worstError);
    statement.read(row.maxAbsoluteError);
    statement.read(row.scratchBytes);
    statement.read(row.deterministic);
    statement.read(samples);
    statement.read(row.candidate.sources);
    statement.read(row.foundFrom);
    std::optional<RowStatus> parsed = parseRowStatus(status);
    nlohmann::json list = nlohmann::json::parse(samples, nullptr, false);
    if (!parsed || !list.is_array()) {
      return db.error(SQLITE_CORRUPT);
    }
    row.status = *parsed;
    for (const nlohmann::json &sample : list) {
      row.samplesUs.push_back(sample.is_number() ? sample.get<double>() : 0);
    }
  }
}

absl::StatusOr<std::vector<Record>>
TuningDb::load(const std::string &where, absl::Span<const std::string> values,
               absl::Span<const int64_t> ids) {
  std::vector<Record> records;
  std::vector<int64_t> found;
  // A database that cannot be written may be an older one.
  absl::StatusOr<int64_t> version = versionOf(*db);
  if (!version.ok()) {
    return version.status();
  }
  std::string sql = absl::StrCat(
      recordColumns,
      *version < 4 ? "0.0, 0.0" : "clock_low_mhz, clock_high_mhz",
      *version < 5 ? ", 0.0, 0.0, 0, 0"
                   : ", noise_spread, noise_others, noise_cores, "
                     "provisional_searches",
      *version < 8 ? ", 0" : ", legal", *version < 9 ? ", 0" : ", descended",
      *version < 6 ? ", '{}', onednn" : ", sources, libraries", " FROM record ",
      where);
  Statement statement(*db, sql.c_str());
  for (const std::string &value : values) {
    statement.bind(value);
  }
  for (int64_t id : ids) {
    statement.bind(id);
  }
  while (true) {
    absl::StatusOr<bool> more = statement.step();
    if (!more.ok()) {
      return more.status();
    }
    if (!*more) {
      break;
    }
    Record &record = records.emplace_back();
    ProblemSpec &problem = record.problem;
    std::string state;
    statement.read(found.emplace_back());
    statement.read(problem.key);
    statement.read(problem.device);
    statement.read(problem.backends);
    statement.read(problem.text);
    statement.read(problem.description);
    statement.read(problem.deviceName);
    statement.read(problem.flops);
    statement.read(problem.bytes);
    statement.read(state);
    statement.read(record.candidates);
    statement.read(record.coverage);
    statement.read(record.buildSeconds);
    statement.read(record.verifySeconds);
    statement.read(record.measureSeconds);
    statement.read(record.created);
    statement.read(record.clock.lowMHz);
    statement.read(record.clock.highMHz);
    readNoise(statement, record.noise);
    statement.read(record.provisionalSearches);
    statement.read(record.legal);
    statement.read(record.descended);
    readVersions(statement, problem.versions);
    std::optional<RecordState> parsed = parseRecordState(state);
    if (!parsed) {
      return db->error(SQLITE_CORRUPT);
    }
    record.state = *parsed;
  }
  for (size_t i = 0; i < records.size(); ++i) {
    absl::StatusOr<std::vector<Row>> rows = loadRows(*db, found[i], *version);
    if (!rows.ok()) {
      return rows.status();
    }
    records[i].rows = *std::move(rows);
  }
  return records;
}

absl::StatusOr<std::vector<Record>> TuningDb::records() {
  return load("ORDER BY description, problem, created, id", {}, {});
}

absl::StatusOr<Lookup> TuningDb::find(const ProblemSpec &problem) {
  absl::StatusOr<std::vector<Record>> found =
      load("WHERE problem = ? AND device = ? AND backends = ? "
           "ORDER BY state = 'running', created DESC, id DESC",
           {problem.key, problem.device, problem.backends}, {});
  if (!found.ok()) {
    return found.status();
  }
  Lookup lookup;
  for (Record &record : *found) {
    bool finished = record.state != RecordState::Running;
    if (record.problem.versions == problem.versions) {
      lookup.freshness = finished ? Freshness::Fresh : Freshness::Unfinished;
      lookup.record = std::move(record);
      return lookup;
    }
    if (finished && !lookup.stale) {
      lookup.freshness = Freshness::Stale;
      lookup.stale = std::move(record);
    }
  }
  return lookup;
}

static constexpr const char *whereExactly =
    "WHERE problem = ? AND device = ? AND backends = ? AND sources = ? AND "
    "libraries = ?";

static void bindKey(Statement &statement, const ProblemSpec &problem) {
  statement.bind(problem.key).bind(problem.device).bind(problem.backends);
  bindVersions(statement, problem.versions);
}

absl::StatusOr<int64_t> TuningDb::openRecord(const ProblemSpec &problem,
                                             int64_t candidates, bool restart) {
  if (!restart) {
    // Finished by another process since, or else unfinished.
    Statement existing(*db, absl::StrCat("SELECT id FROM record ", whereExactly,
                                         " ORDER BY state = 'running', id DESC")
                                .c_str());
    bindKey(existing, problem);
    absl::StatusOr<bool> row = existing.step();
    if (!row.ok()) {
      return row.status();
    }
    if (*row) {
      int64_t id = 0;
      existing.read(id);
      return id;
    }
  }
  Statement insert(*db,
                   "INSERT INTO record(problem, device, backends, sources, "
                   "libraries, text, description, device_name, "
                   "flops, bytes, state, candidates, coverage, "
                   "build_seconds, verify_seconds, measure_seconds, created) "
                   "VALUES(?,?,?,?,?,?,?,?,?,?,'running',?,0,0,0,0,?)");
  bindKey(insert, problem);
  insert.bind(problem.text).bind(problem.description);
  insert.bind(problem.deviceName).bind(problem.flops).bind(problem.bytes);
  insert.bind(candidates).bind(utcNow());
  if (absl::Status status = insert.run(); !status.ok()) {
    return status;
  }
  return db->lastInsertRow();
}

absl::StatusOr<int64_t> TuningDb::begin(const ProblemSpec &problem,
                                        int64_t candidates, bool restart) {
  Transaction transaction(*db);
  if (absl::Status status = transaction.begin(); !status.ok()) {
    return status;
  }
  absl::StatusOr<int64_t> id = openRecord(problem, candidates, restart);
  if (!id.ok()) {
    return id.status();
  }
  if (absl::Status status = transaction.commit(); !status.ok()) {
    return status;
  }
  return id;
}

absl::Status TuningDb::insertRow(int64_t record, const Row &row) {
  // Only into a running record: a finished one is never touched again.
  Statement insert(
      *db, "INSERT OR REPLACE INTO row SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
           "?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, "
           "?22, ?23, ?24 WHERE EXISTS(SELECT 1 FROM record WHERE id = ?1 AND "
           "state = 'running')");
  const CandidateSpec &candidate = row.candidate;
  insert.bind(record).bind(candidate.name).bind(candidate.label);
  insert.bind(candidate.choice).bind(candidate.estimateUs);
  insert.bind(candidate.launches).bind(candidate.needsLibrary);
  insert.bind(std::string(toString(row.status))).bind(row.reason);
  insert.bind(row.buildMs).bind(row.binaryHash).bind(row.screenUs);
  insert.bind(row.timeUs).bind(row.timeError).bind(row.ratio);
  insert.bind(row.ratioLow).bind(row.ratioHigh).bind(row.worstError);
  insert.bind(row.maxAbsoluteError).bind(row.scratchBytes);
  insert.bind(row.deterministic);
  insert.bind(nlohmann::json(row.samplesUs).dump());
  insert.bind(candidate.sources).bind(row.foundFrom);
  return insert.run();
}

absl::Status TuningDb::putRow(int64_t record, const Row &row) {
  return insertRow(record, row);
}

absl::Status TuningDb::closeRecord(int64_t id, const Record &record) {
  Statement erase(*db, "DELETE FROM row WHERE record = ?");
  erase.bind(id);
  if (absl::Status status = erase.run(); !status.ok()) {
    return status;
  }
  for (const Row &row : record.rows) {
    if (absl::Status status = insertRow(id, row); !status.ok()) {
      return status;
    }
  }
  Statement update(
      *db, "UPDATE record SET state = ?, candidates = ?, coverage = ?, "
           "build_seconds = ?, verify_seconds = ?, measure_seconds = "
           "?, created = ?, clock_low_mhz = ?, clock_high_mhz = ?, "
           "noise_spread = ?, noise_others = ?, noise_cores = ?, "
           "provisional_searches = ?, legal = ?, descended = ? WHERE id = ?");
  update.bind(std::string(toString(record.state))).bind(record.candidates);
  update.bind(record.coverage).bind(record.buildSeconds);
  update.bind(record.verifySeconds).bind(record.measureSeconds);
  update.bind(record.created);
  update.bind(record.clock.lowMHz).bind(record.clock.highMHz);
  bindNoise(update, record.noise);
  update.bind(record.provisionalSearches).bind(record.legal);
  update.bind(record.descended).bind(id);
  if (absl::Status status = update.run(); !status.ok()) {
    return status;
  }
  // It takes the place of earlier ones.
  Statement others(
      *db, absl::StrCat("DELETE FROM record ", whereExactly, " AND id != ?")
               .c_str());
  bindKey(others, record.problem);
  others.bind(id);
  return others.run();
}

absl::StatusOr<Record> TuningDb::settleProvisional(int64_t id, Record record) {
  const ProblemSpec &problem = record.problem;
  absl::StatusOr<std::vector<Record>> earlier =
      load(absl::StrCat(whereExactly, " AND state = 'provisional' AND id != ?"),
           {problem.key, problem.device, problem.backends,
            sourcesText(problem.versions), problem.versions.libraries},
           {id});
  if (!earlier.ok()) {
    return earlier.status();
  }
  int64_t searches = 1;
  if (!earlier->empty()) {
    searches += earlier->front().provisionalSearches;
    if (!isBetter(record, earlier->front())) {
      record = std::move(earlier->front());
    }
  }
  record.provisionalSearches =
      record.state == RecordState::Provisional ? searches : 0;
  return record;
}

absl::StatusOr<Record> TuningDb::finish(int64_t id, const Record &record) {
  Transaction transaction(*db);
  if (absl::Status status = transaction.begin(); !status.ok()) {
    return status;
  }
  absl::StatusOr<std::vector<Record>> current = load("WHERE id = ?", {}, {id});
  if (!current.ok()) {
    return current.status();
  }
  if (current->empty()) {
    // Removed by another process: by one that finished, or by a prune.
    absl::StatusOr<Lookup> found = find(record.problem);
    absl::StatusOr<int64_t> anew =
        openRecord(record.problem, record.candidates, /*restart=*/true);
    if (!found.ok() || !anew.ok()) {
      return found.ok() ? anew.status() : found.status();
    }
    if (found->freshness == Freshness::Fresh) {
      return std::move(found->record);
    }
    id = *anew;
  } else if (current->front().state != RecordState::Running) {
    return std::move(current->front());
  }
  absl::StatusOr<Record> settled = settleProvisional(id, record);
  if (!settled.ok()) {
    return settled.status();
  }
  if (absl::Status status = closeRecord(id, *settled); !status.ok()) {
    return status;
  }
  if (absl::Status status = transaction.commit(); !status.ok()) {
    return status;
  }
  return settled;
}

} // namespace minic::tune
