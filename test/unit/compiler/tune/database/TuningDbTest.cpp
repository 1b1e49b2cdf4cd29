// SPDX-License-Identifier: Apache-2.0
//
// Records in and out of the database.

#include "compiler/tune/database/RecordJson.h"
#include "test/unit/compiler/tune/TempFolder.h"
#include "test/unit/compiler/tune/database/OlderDatabase.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace minic::tune {
namespace {

using testing::HasSubstr;

Record makeRecord(const std::string &key, const std::string &created) {
  Record record;
  record.problem.key = key;
  record.problem.text = "module {\n  // \"quotes\" and \xc3\xa9\n}\n";
  record.problem.description = "linear(" + key + ")";
  record.problem.flops = 1ull << 40;
  record.problem.device = "cpu test";
  record.problem.deviceName = "Test";
  record.problem.backends = "generated";
  record.problem.versions = {{{"gemm", "7"}, {"minic", "3"}}, "2.6.3"};
  record.state = RecordState::Complete;
  record.candidates = 2;
  record.coverage = 1;
  record.created = created;
  record.clock = {1545, 1980};
  record.noise = {0.25, 1.5, 2};
  Row row;
  row.candidate = {"gemm 8x32 n'; DROP TABLE row; --",
                   "generated",
                   "#choice",
                   12.5,
                   2,
                   true,
                   "gemm,onednn"};
  row.status = RowStatus::Verified;
  row.timeUs = 10.25;
  row.screenUs = 10;
  row.ratio = row.ratioLow = row.ratioHigh = 1;
  row.timeError = 0.003;
  row.scratchBytes = 1 << 20;
  row.binaryHash = "abc";
  row.samplesUs = {10, 10.5, 0.1};
  row.deterministic = true;
  record.rows.push_back(row);
  row.candidate.name = "other";
  row.status = RowStatus::Wrong;
  row.reason = "line";
  record.rows.push_back(row);
  return record;
}

Record put(TuningDb &db, Record record) {
  auto id = db.begin(record.problem, record.candidates, false);
  EXPECT_TRUE(id.ok()) << id.status();
  auto result = db.finish(*id, record);
  EXPECT_TRUE(result.ok()) << result.status();
  return *result;
}

std::string text(const Record &record) { return toJson(record).dump(); }

TEST(TuningDb, RoundTripsARecord) {
  TempFolder folder;
  Record record = makeRecord("p", "2026-01-01T00:00:00Z");
  put(*folder.openDb(), record);
  auto lookup = folder.openDb()->find(record.problem); // opened anew
  ASSERT_TRUE(lookup.ok());
  EXPECT_EQ(lookup->freshness, Freshness::Fresh);
  EXPECT_EQ(text(lookup->record), text(record));
}

TEST(TuningDb, RoundTripsAProvisionalRecord) {
  TempFolder folder;
  Record record = makeRecord("p", "2026-01-01T00:00:00Z");
  record.state = RecordState::Provisional;
  record.provisionalSearches = 1;
  record.legal = 864;
  record.descended = true;
  put(*folder.openDb(), record);
  auto lookup = folder.openDb()->find(record.problem);
  ASSERT_TRUE(lookup.ok());
  EXPECT_EQ(lookup->freshness, Freshness::Fresh);
  EXPECT_EQ(lookup->record.legal, 864);
  EXPECT_TRUE(lookup->record.descended);
  EXPECT_EQ(text(lookup->record), text(record));
}

TEST(TuningDb, StaleOnlyWhereNothingFreshIs) {
  TempFolder folder;
  auto db = folder.openDb();
  Record record = makeRecord("p", "2026-01-01T00:00:00Z");
  put(*db, record);
  ProblemSpec other = record.problem;
  other.versions.sources["gemm"] = "8";
  auto lookup = db->find(other);
  EXPECT_EQ(lookup->freshness, Freshness::Stale);
  EXPECT_EQ(lookup->stale->problem.versions.sources["gemm"], "7");
  EXPECT_EQ(db->find(record.problem)->freshness, Freshness::Fresh);
}

TEST(TuningDb, WhoFinishesFirstWins) {
  TempFolder folder;
  auto one = folder.openDb(), two = folder.openDb();
  Record record = makeRecord("p", "2026-01-01T00:00:00Z");
  auto idOne = one->begin(record.problem, 2, false);
  auto idTwo = two->begin(record.problem, 2, false);
  EXPECT_EQ(*idOne, *idTwo);
  ASSERT_TRUE(one->finish(*idOne, record).ok());
  Record late = record;
  late.rows.pop_back();
  ASSERT_TRUE(two->putRow(*idTwo, late.rows[0]).ok());
  EXPECT_EQ(two->finish(*idTwo, late)->rows.size(), 2u);
  EXPECT_EQ(text(one->find(record.problem)->record), text(record));
}

TEST(TuningDb, VerdictsAreKeyedByPlanDeviceAndVersions) {
  TempFolder folder;
  auto db = folder.openDb();
  Verdict verdict;
  verdict.plan = "plan";
  verdict.device = "cpu";
  verdict.versions = {{{"gemm", "1"}}, ""};
  verdict.backToBack = {9.6, 12, 0.8, 0.79, 0.81};
  verdict.call = {15, 14, 1.1, 1.05, 1.15};
  verdict.tunedShips = false;
  verdict.reason = "one synchronized call decides";
  verdict.clock = {1545, 1980};
  verdict.isProvisional = true;
  verdict.provisionalSearches = 2;
  verdict.noise = {0.38, 2, 2};
  ASSERT_TRUE(db->putVerdict(verdict).ok());
  auto found = db->findVerdict("plan", "cpu", verdict.versions);
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ(toJson(**found).dump(), toJson(verdict).dump());
  Versions other = {{{"gemm", "2"}}, ""};
  EXPECT_FALSE(db->findVerdict("plan", "cpu", other)->has_value());
  EXPECT_FALSE(db->findVerdict("plan2", "cpu", verdict.versions)->has_value());
}

TEST(TuningDb, ExportImportRoundTrip) {
  TempFolder folder;
  auto db = folder.openDb();
  put(*db, makeRecord("p", "2026-01-01T00:00:00Z"));
  put(*db, makeRecord("q", "2026-01-02T00:00:00Z"));
  Verdict verdict;
  verdict.plan = "plan";
  verdict.backToBack = {1, 2, 3, 4, 5};
  verdict.call = {6, 7, 8, 9, 10};
  verdict.clock = {1200, 1980};
  ASSERT_TRUE(db->putVerdict(verdict).ok());
  // A search in progress is not exported.
  ASSERT_TRUE(db->begin(makeRecord("r", "").problem, 3, false).ok());
  auto exported = db->exportJson();
  ASSERT_TRUE(exported.ok());
  auto copy = folder.openDb("copy.db");
  auto counts = copy->importJson(*exported);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->added, 2);
  EXPECT_EQ(counts->verdicts, 1);
  EXPECT_EQ(*copy->exportJson(), *exported);
  counts = copy->importJson(*exported);
  EXPECT_EQ(counts->kept, 2);
  EXPECT_EQ(counts->added + counts->replaced + counts->verdicts, 0);
}

TEST(TuningDb, ImportPrefersCompleteThenLater) {
  TempFolder folder;
  auto merge = [&](Record existing, Record incoming) {
    auto db = folder.openDb("a.db");
    auto other = folder.openDb("b.db");
    (void)db->prune({.all = true});
    (void)other->prune({.all = true});
    put(*db, existing);
    put(*other, incoming);
    EXPECT_TRUE(db->importJson(*other->exportJson()).ok());
    EXPECT_EQ(db->records()->size(), 1u);
    return db->find(existing.problem)->record.created;
  };
  Record early = makeRecord("p", "2026-01-01T00:00:00Z");
  Record late = makeRecord("p", "2026-02-01T00:00:00Z");
  EXPECT_EQ(merge(early, late), late.created);
  EXPECT_EQ(merge(late, early), late.created);
  late.state = RecordState::Partial;
  EXPECT_EQ(merge(early, late), early.created);
  EXPECT_EQ(merge(late, early), early.created);
  // Provisional is between partial and complete; then less noise wins.
  early.state = RecordState::Provisional;
  EXPECT_EQ(merge(early, late), early.created);
  EXPECT_EQ(merge(late, early), early.created);
  late.state = RecordState::Complete;
  EXPECT_EQ(merge(early, late), late.created);
  EXPECT_EQ(merge(late, early), late.created);
  late.state = RecordState::Provisional;
  late.noise.spread = 2 * early.noise.spread;
  EXPECT_EQ(merge(early, late), early.created);
  EXPECT_EQ(merge(late, early), early.created);
}

TEST(TuningDb, ImportKeepsAVerdictThatDecided) {
  TempFolder folder;
  Verdict decided;
  decided.plan = "plan";
  decided.created = "2026-01-01T00:00:00Z";
  Verdict provisional = decided;
  provisional.created = "2026-01-02T00:00:00Z";
  provisional.isProvisional = true;
  provisional.noise = {0.38, 2, 2};
  auto db = folder.openDb("a.db"), other = folder.openDb("b.db");
  ASSERT_TRUE(db->putVerdict(decided).ok());
  ASSERT_TRUE(other->putVerdict(provisional).ok());
  EXPECT_EQ(db->importJson(*other->exportJson())->verdicts, 0);
  EXPECT_EQ(other->importJson(*db->exportJson())->verdicts, 1);
  EXPECT_FALSE(other->verdicts()->front().isProvisional);
}

TEST(TuningDb, ImportTakesAllOrNothing) {
  TempFolder folder;
  auto source = folder.openDb("source.db");
  put(*source, makeRecord("p", "2026-01-01T00:00:00Z"));
  put(*source, makeRecord("q", "2026-01-01T00:00:00Z"));
  auto good = nlohmann::ordered_json::parse(*source->exportJson());
  auto db = folder.openDb();
  auto expectRejected = [&](nlohmann::ordered_json json,
                            const std::string &what) {
    auto counts = db->importJson(json.dump());
    EXPECT_FALSE(counts.ok());
    EXPECT_THAT(std::string(counts.status().message()), HasSubstr(what));
    EXPECT_TRUE(db->records()->empty());
  };
  auto bad = good;
  bad["records"][1]["rows"][0]["status"] = "splendid";
  expectRejected(bad, "record q, row 0: unknown status 'splendid'");
  bad = good;
  bad["records"][1].erase("device");
  expectRejected(bad, "field 'device' is missing");
  bad = good;
  bad["records"][1]["rows"][1]["time_us"] = "fast";
  expectRejected(bad, "field 'time_us' must be a number");
  bad = good;
  bad["records"][1]["rows"][1]["time_us"] = -1;
  expectRejected(bad, "time_us must be finite and not negative");
  bad = good;
  bad["records"][1]["rows"][1]["name"] = bad["records"][1]["rows"][0]["name"];
  expectRejected(bad, "two rows are named");
  bad = good;
  bad["version"] = 7;
  expectRejected(bad, "expected version 1 to 6, got 7");
  bad = good;
  bad["records"][1]["versions"]["sources"]["gemm"] = 7;
  expectRejected(bad, "record, versions: sources must hold strings");
  bad = good;
  bad["records"][1].erase("sm_clock_mhz");
  expectRejected(bad, "record: field 'sm_clock_mhz' is missing");
  bad = good;
  bad["records"][1]["sm_clock_mhz"]["low"] = -1;
  expectRejected(bad, "record, sm_clock_mhz: low must be finite and not "
                      "negative");
  bad = good;
  bad["records"][1].erase("provisional_searches");
  expectRejected(bad, "record: field 'provisional_searches' is missing");
  bad = good;
  bad["records"][1]["noise"]["spread"] = "much";
  expectRejected(bad, "record, noise: field 'spread' must be a number");
  expectRejected({{"hello", 1}}, "is not a tuning export");
  EXPECT_FALSE(db->importJson("{\"format\"").ok());
  EXPECT_FALSE(db->importJson("").ok());
  EXPECT_FALSE(db->importJson("[1, 2]").ok());
}

/// Makes of an export one of `version`.
void makeExportOlder(nlohmann::json &json, int64_t version) {
  json["version"] = version;
  for (const char *list : {"records", "verdicts"}) {
    for (auto &item : json[list]) {
      item["versions"] = {
          {"codegen", "7"}, {"candidate_set", "12"}, {"onednn", "2.6.3"}};
      if (version < 4) {
        item.erase("noise");
        item.erase("provisional_searches");
        item.erase("provisional");
      }
      if (version < 3) {
        item.erase("sm_clock_mhz");
      }
    }
  }
  for (auto &record : json["records"]) {
    for (auto &row : record["rows"]) {
      row.erase("sources");
    }
  }
}

TEST(TuningDb, AnExportOfVersion1LosesItsVerdicts) {
  TempFolder folder;
  auto db = folder.openDb();
  put(*db, makeRecord("p", "2026-01-01T00:00:00Z"));
  auto json = nlohmann::json::parse(*db->exportJson());
  makeExportOlder(json, 1);
  json["verdicts"] = {{{"plan", "p"}, {"tuned_us", 1}, {"tuned_ships", true}}};
  auto counts = folder.openDb("copy.db")->importJson(json.dump());
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->added, 1);
  EXPECT_EQ(counts->verdicts, 0);
}

/// A database with a record and a verdict that came through an export of an
/// older version.
static std::unique_ptr<TuningDb> importOlder(TempFolder &folder, int version) {
  auto db = folder.openDb();
  put(*db, makeRecord("p", "2026-01-01T00:00:00Z"));
  Verdict verdict;
  verdict.plan = "plan";
  EXPECT_TRUE(db->putVerdict(verdict).ok());
  auto json = nlohmann::json::parse(*db->exportJson());
  makeExportOlder(json, version);
  auto copy = folder.openDb("copy.db");
  auto counts = copy->importJson(json.dump());
  EXPECT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->added, 1);
  EXPECT_EQ(counts->verdicts, 1);
  return copy;
}

TEST(TuningDb, AnExportOfVersion2HasNoClocks) {
  TempFolder folder;
  auto copy = importOlder(folder, 2);
  EXPECT_FALSE(copy->records()->front().clock.isKnown());
}

TEST(TuningDb, AnExportOfVersion3HasNoNoise) {
  TempFolder folder;
  auto copy = importOlder(folder, 3);
  EXPECT_FALSE(copy->records()->front().noise.isKnown());
  EXPECT_TRUE(copy->records()->front().problem.versions.sources.empty());
  EXPECT_EQ(copy->records()->front().problem.versions.libraries, "2.6.3");
  EXPECT_EQ(copy->records()->front().clock.highMHz, 1980);
}

/// What was put into a database before it had sources; returns what it lost.
Versions forgetSources(Record &record) {
  Versions versions = record.problem.versions;
  record.problem.versions.sources.clear();
  for (Row &row : record.rows) {
    row.candidate.sources.clear();
  }
  return versions;
}

TEST(TuningDb, ADatabaseOfVersion4KeepsItsRecordsAndTheirClocks) {
  TempFolder folder;
  Record record = makeRecord("p", "2026-01-01T00:00:00Z");
  put(*folder.openDb(), record);
  makeOlder(folder / "tuning.db", 4);
  record.noise = {};
  ProblemSpec problem = record.problem;
  problem.versions = forgetSources(record);
  TuningDb::Options options;
  options.path = folder / "tuning.db";
  for (auto access :
       {TuningDb::Access::ReadOnly, TuningDb::Access::ReadWrite}) {
    options.access = access;
    auto db = TuningDb::open(options);
    ASSERT_TRUE(db.ok()) << db.status();
    auto found = (*db)->find(problem);
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_TRUE(found->stale);
    EXPECT_EQ(text(*found->stale), text(record));
    EXPECT_TRUE((*db)->verdicts()->empty());
  }
}

TEST(TuningDb, ADatabaseOfVersion6KeepsItsVerdicts) {
  TempFolder folder;
  Verdict verdict;
  verdict.plan = "plan";
  verdict.device = "cpu";
  verdict.backToBack = {9, 10, 0.9, 0.89, 0.91};
  ASSERT_TRUE(folder.openDb()->putVerdict(verdict).ok());
  {
    auto raw =
        Sqlite::open(folder / "tuning.db", SQLITE_OPEN_READWRITE, 1, nullptr);
    ASSERT_TRUE((*raw)
                    ->execute("ALTER TABLE verdict DROP COLUMN trials; ALTER "
                              "TABLE record DROP COLUMN legal; ALTER TABLE "
                              "record DROP COLUMN descended; ALTER TABLE row "
                              "DROP COLUMN found_from; PRAGMA "
                              "user_version = 6")
                    .ok());
  }
  auto found = folder.openDb()->findVerdict("plan", "cpu", {});
  ASSERT_TRUE(found.ok() && *found);
  EXPECT_EQ((*found)->backToBack.ratioHigh, 0.91);
  EXPECT_TRUE((*found)->trials.empty());
}

TEST(TuningDb, ADatabaseOfVersion7KeepsItsRecordsOfUnknownCoverage) {
  TempFolder folder;
  Record record = makeRecord("p", "2026-01-01T00:00:00Z");
  put(*folder.openDb(), record);
  {
    auto raw =
        Sqlite::open(folder / "tuning.db", SQLITE_OPEN_READWRITE, 1, nullptr);
    ASSERT_TRUE((*raw)
                    ->execute("ALTER TABLE record DROP COLUMN legal; ALTER "
                              "TABLE record DROP COLUMN descended; ALTER TABLE "
                              "row DROP COLUMN found_from; PRAGMA "
                              "user_version = 7")
                    .ok());
  }
  auto lookup = folder.openDb()->find(record.problem);
  ASSERT_TRUE(lookup.ok());
  EXPECT_EQ(lookup->freshness, Freshness::Fresh);
  EXPECT_EQ(describeCoverage(lookup->record), "");
  record.legal = 864;
  record.problem.key = "q";
  put(*folder.openDb(), record); // it has the column now
  auto again = folder.openDb()->find(record.problem);
  EXPECT_EQ(describeCoverage(again->record),
            std::to_string(countTried(record)) +
                " of 864 legal schedules tried");
}

TEST(TuningDb, AnExportWithoutCoverageIsRead) {
  TempFolder folder;
  auto db = folder.openDb();
  Record record = makeRecord("p", "2026-01-01T00:00:00Z");
  record.legal = 7;
  put(*db, record);
  auto json = nlohmann::json::parse(*db->exportJson());
  auto copied = folder.openDb("copy.db");
  ASSERT_TRUE(copied->importJson(json.dump()).ok());
  EXPECT_EQ(copied->records()->front().legal, 7);
  json["records"][0].erase("legal");
  auto older = folder.openDb("older.db");
  ASSERT_TRUE(older->importJson(json.dump()).ok());
  EXPECT_EQ(older->records()->front().legal, 0);
  json["records"][0]["legal"] = -1;
  EXPECT_FALSE(folder.openDb("bad.db")->importJson(json.dump()).ok());
}

Trial makeTrial() {
  Trial trial;
  trial.changes = {{"p", "gemm 8x32 n'; --"}, {"q", "other"}};
  trial.backToBack = {9, 10, 0.9, 0.89, 0.91};
  trial.isTaken = true;
  return trial;
}

TEST(TuningDb, TrialsOfADescentAreKeptAndExported) {
  TempFolder folder;
  Verdict verdict;
  verdict.plan = "plan#descent";
  verdict.device = "cpu";
  Trial refused;
  refused.refusal = "line";
  verdict.trials = {makeTrial(), refused};
  auto db = folder.openDb(), other = folder.openDb("other.db");
  ASSERT_TRUE(db->putVerdict(verdict).ok());
  auto text = *db->exportJson();
  ASSERT_TRUE(other->importJson(text).ok());
  for (TuningDb *each : {db.get(), other.get()}) {
    auto found = each->findVerdict("plan#descent", "cpu", {});
    ASSERT_TRUE(found.ok() && *found);
    EXPECT_EQ(toJson(**found), toJson(verdict));
  }
  // Exports of before have none.
  auto json = nlohmann::ordered_json::parse(text);
  json["version"] = 5;
  json["verdicts"][0].erase("trials");
  auto third = folder.openDb("third.db");
  ASSERT_TRUE(third->importJson(json.dump()).ok());
  EXPECT_TRUE(third->verdicts()->front().trials.empty());
  // What is damaged is an error in an export, and nothing in a database.
  json = nlohmann::ordered_json::parse(text);
  json["verdicts"][0]["trials"][0]["changes"][1]["candidate"] = 3;
  EXPECT_THAT(std::string(third->importJson(json.dump()).status().message()),
              HasSubstr("trial, change: field 'candidate' must be a string"));
  auto raw =
      Sqlite::open(folder / "tuning.db", SQLITE_OPEN_READWRITE, 1, nullptr);
  ASSERT_TRUE((*raw)->execute("UPDATE verdict SET trials = '[{'").ok());
  EXPECT_TRUE(db->verdicts()->front().trials.empty());
}

TEST(TuningDb, ADatabaseOfVersion1KeepsItsRecordsOnly) {
  TempFolder folder;
  Record record = makeRecord("p", "2026-01-01T00:00:00Z");
  put(*folder.openDb(), record);
  makeOlder(folder / "tuning.db", 1);
  record.clock = {};
  record.noise = {};
  ProblemSpec problem = record.problem;
  problem.versions = forgetSources(record);
  TuningDb::Options options;
  options.path = folder / "tuning.db";
  options.access = TuningDb::Access::ReadOnly;
  for (auto access :
       {TuningDb::Access::ReadOnly, TuningDb::Access::ReadWrite}) {
    options.access = access;
    auto db = TuningDb::open(options);
    ASSERT_TRUE(db.ok()) << db.status();
    auto found = (*db)->find(problem);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->freshness, Freshness::Stale);
    EXPECT_EQ(text(*found->stale), text(record));
    EXPECT_FALSE((*db)->findVerdict("plan", "cuda", {})->has_value());
    EXPECT_TRUE((*db)->verdicts()->empty());
  }
  Verdict verdict;
  verdict.plan = "plan";
  auto db = folder.openDb();
  ASSERT_TRUE(db->putVerdict(verdict).ok());
  EXPECT_EQ(db->verdicts()->size(), 1u);
  // What it searches from now on has clocks.
  Record later = makeRecord("p", "2026-02-01T00:00:00Z");
  later.problem.versions.sources["gemm"] = "8";
  put(*db, later);
  EXPECT_EQ(db->find(later.problem)->record.clock.highMHz, 1980);
}

TEST(TuningDb, PruneRemovesWhatIsAskedFor) {
  TempFolder folder;
  auto db = folder.openDb();
  Record old = makeRecord("p", "2020-01-01T00:00:00Z");
  Record newer = makeRecord("p", utcNow());
  newer.problem.versions.sources["gemm"] = "8";
  put(*db, old);
  put(*db, newer);
  put(*db, makeRecord("q", "2020-01-01T00:00:00Z"));
  ASSERT_TRUE(db->begin(makeRecord("r", "").problem, 3, false).ok());
  EXPECT_EQ(*db->prune({.superseded = true}), 1);
  EXPECT_EQ(db->find(old.problem)->freshness, Freshness::Stale);
  EXPECT_EQ(*db->prune({.unfinished = true}), 1);
  EXPECT_EQ(*db->prune({.olderThanDays = 30}), 1);
  EXPECT_EQ(db->records()->size(), 1u);
  EXPECT_EQ(*db->prune({.all = true}), 1);
}

TEST(TuningDb, DefaultPathFollowsTheEnvironment) {
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(TuningDb::defaultPath(), "/cache/minic/tuning.db");
  setenv("XDG_CACHE_HOME", "relative", 1); // the standard says: ignore
  setenv("HOME", "/home/ada", 1);
  EXPECT_EQ(TuningDb::defaultPath(), "/home/ada/.cache/minic/tuning.db");
  unsetenv("XDG_CACHE_HOME");
}

} // namespace
} // namespace minic::tune
