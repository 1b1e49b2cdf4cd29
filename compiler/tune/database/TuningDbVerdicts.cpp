// SPDX-License-Identifier: Apache-2.0
//
// Verdicts on whole models.

#include "compiler/tune/database/NoiseColumns.h"
#include "compiler/tune/database/RecordJson.h"
#include "compiler/tune/database/TuningDb.h"
#include "compiler/tune/database/TuningDbSchema.h"
#include "compiler/tune/database/VersionColumns.h"

#include "absl/strings/str_cat.h"

namespace minic::tune {

static constexpr const char *verdictColumns =
    "plan, device, sources, libraries, description, "
    "tuned_us, default_us, ratio, ratio_low, ratio_high, "
    "tuned_call_us, default_call_us, call_ratio, call_ratio_low, "
    "call_ratio_high, tuned_ships, reason, created, clock_low_mhz, "
    "clock_high_mhz, provisional, provisional_searches, noise_spread, "
    "noise_others, noise_cores, trials";

static void readComparison(Statement &statement, Comparison &figure) {
  statement.read(figure.tunedUs);
  statement.read(figure.defaultUs);
  statement.read(figure.ratio);
  statement.read(figure.ratioLow);
  statement.read(figure.ratioHigh);
}

static void bindComparison(Statement &statement, const Comparison &figure) {
  statement.bind(figure.tunedUs).bind(figure.defaultUs).bind(figure.ratio);
  statement.bind(figure.ratioLow).bind(figure.ratioHigh);
}

static Verdict readVerdict(Statement &statement) {
  Verdict verdict;
  statement.read(verdict.plan);
  statement.read(verdict.device);
  readVersions(statement, verdict.versions);
  statement.read(verdict.description);
  readComparison(statement, verdict.backToBack);
  readComparison(statement, verdict.call);
  statement.read(verdict.tunedShips);
  statement.read(verdict.reason);
  statement.read(verdict.created);
  statement.read(verdict.clock.lowMHz);
  statement.read(verdict.clock.highMHz);
  statement.read(verdict.isProvisional);
  statement.read(verdict.provisionalSearches);
  readNoise(statement, verdict.noise);
  std::string trials;
  statement.read(trials);
  // What is damaged is read as none: such a descent is made again, because it
  // changed something.
  absl::StatusOr<std::vector<Trial>> read = trialsFromJson(
      nlohmann::ordered_json::parse(trials, nullptr, /*exceptions=*/false));
  if (read.ok()) {
    verdict.trials = *std::move(read);
  }
  return verdict;
}

absl::StatusOr<std::optional<Verdict>>
TuningDb::findVerdict(const std::string &plan, const std::string &device,
                      const Versions &versions) {
  absl::StatusOr<bool> exist = isCurrent(*db);
  if (!exist.ok()) {
    return exist.status();
  }
  if (!*exist) {
    return std::nullopt;
  }
  Statement statement(
      *db, absl::StrCat("SELECT ", verdictColumns,
                        " FROM verdict WHERE plan = ? AND device = ? AND "
                        "sources = ? AND libraries = ?")
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
  Statement insert(
      *db, absl::StrCat(
               "INSERT OR REPLACE INTO verdict(", verdictColumns,
               ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
               .c_str());
  insert.bind(verdict.plan).bind(verdict.device);
  bindVersions(insert, verdict.versions);
  insert.bind(verdict.description);
  bindComparison(insert, verdict.backToBack);
  bindComparison(insert, verdict.call);
  insert.bind(verdict.tunedShips).bind(verdict.reason).bind(verdict.created);
  insert.bind(verdict.clock.lowMHz).bind(verdict.clock.highMHz);
  insert.bind(verdict.isProvisional).bind(verdict.provisionalSearches);
  bindNoise(insert, verdict.noise);
  insert.bind(toJson(absl::MakeConstSpan(verdict.trials))
                  .dump(-1, ' ', false,
                        nlohmann::ordered_json::error_handler_t::replace));
  return insert.run();
}

absl::StatusOr<std::vector<Verdict>> TuningDb::verdicts() {
  std::vector<Verdict> verdicts;
  absl::StatusOr<bool> exist = isCurrent(*db);
  if (!exist.ok() || !*exist) {
    return exist.ok() ? absl::StatusOr<std::vector<Verdict>>(verdicts)
                      : exist.status();
  }
  Statement statement(
      *db, absl::StrCat("SELECT ", verdictColumns,
                        " FROM verdict ORDER BY description, created")
               .c_str());
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
