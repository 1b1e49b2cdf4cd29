// SPDX-License-Identifier: Apache-2.0
//
// Verdicts on whole models.

#include "compiler/tune/TuningDb.h"
#include "compiler/tune/VersionColumns.h"

#include "absl/strings/str_cat.h"

namespace minic::tune {

static constexpr const char *verdictColumns =
    "SELECT plan, device, codegen, candidate_set, onednn, description, "
    "tuned_us, default_us, ratio, ratio_low, ratio_high, tuned_ships, created "
    "FROM verdict ";

static Verdict readVerdict(Statement &statement) {
  Verdict verdict;
  statement.read(verdict.plan);
  statement.read(verdict.device);
  readVersions(statement, verdict.versions);
  statement.read(verdict.description);
  statement.read(verdict.tunedUs);
  statement.read(verdict.defaultUs);
  statement.read(verdict.ratio);
  statement.read(verdict.ratioLow);
  statement.read(verdict.ratioHigh);
  statement.read(verdict.tunedShips);
  statement.read(verdict.created);
  return verdict;
}

absl::StatusOr<std::optional<Verdict>>
TuningDb::findVerdict(const std::string &plan, const std::string &device,
                      const Versions &versions) {
  Statement statement(
      *db, absl::StrCat(verdictColumns,
                        "WHERE plan = ? AND device = ? AND codegen = ? AND "
                        "candidate_set = ? AND onednn = ?")
               .c_str());
  statement.bind(plan).bind(device);
  bindVersions(statement, versions);
  absl::StatusOr<bool> row = statement.step();
  if (!row.ok()) {
    return row.status();
  }
  if (!*row) {
    return std::nullopt;
  }
  return readVerdict(statement);
}

absl::Status TuningDb::putVerdict(const Verdict &verdict) {
  Statement insert(*db, "INSERT OR REPLACE INTO verdict(plan, device, codegen, "
                        "candidate_set, onednn, description, tuned_us, "
                        "default_us, ratio, ratio_low, ratio_high, "
                        "tuned_ships, created) "
                        "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)");
  insert.bind(verdict.plan).bind(verdict.device);
  bindVersions(insert, verdict.versions);
  insert.bind(verdict.description);
  insert.bind(verdict.tunedUs).bind(verdict.defaultUs).bind(verdict.ratio);
  insert.bind(verdict.ratioLow).bind(verdict.ratioHigh);
  insert.bind(verdict.tunedShips).bind(verdict.created);
  return insert.run();
}

absl::StatusOr<std::vector<Verdict>> TuningDb::verdicts() {
  std::vector<Verdict> verdicts;
  Statement statement(
      *db,
      absl::StrCat(verdictColumns, "ORDER BY description, created").c_str());
  while (true) {
    absl::StatusOr<bool> row = statement.step();
    if (!row.ok()) {
      return row.status();
    }
    if (!*row) {
      return verdicts;
    }
    verdicts.push_back(readVerdict(statement));
  }
}

} // namespace minic::tune
