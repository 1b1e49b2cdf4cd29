// SPDX-License-Identifier: Apache-2.0
//
// What records say of a descent, in the database, in older ones and in exports.

#include "compiler/tune/database/Sqlite.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include <nlohmann/json.hpp>

namespace minic::tune {
namespace {

Record makeRecord() {
  Record record;
  record.problem.key = "p";
  record.problem.device = "cpu test";
  record.problem.backends = "generated";
  record.problem.versions = {{{"gemm", "7"}, {"minic", "3"}}, "2.6.3"};
  record.state = RecordState::Complete;
  record.candidates = 2;
  record.coverage = 1;
  for (const char *name : {"first", "second"}) {
    Row &row = record.rows.emplace_back();
    row.candidate.name = name;
    row.status = RowStatus::Verified;
    row.screenUs = 10;
  }
  return record;
}

void put(TuningDb &db, const Record &record) {
  auto id = db.begin(record.problem, record.candidates, false);
  ASSERT_TRUE(id.ok()) << id.status();
  auto result = db.finish(*id, record);
  EXPECT_TRUE(result.ok()) << result.status();
}

TEST(TuningDb, ADatabaseOfVersion8KnowsNoDescent) {
  TempFolder folder;
  Record record = makeRecord();
  record.legal = 864;
  put(*folder.openDb(), record);
  {
    auto raw =
        Sqlite::open(folder / "tuning.db", SQLITE_OPEN_READWRITE, 1, nullptr);
    ASSERT_TRUE((*raw)
                    ->execute("ALTER TABLE record DROP COLUMN descended; ALTER "
                              "TABLE row DROP COLUMN found_from; PRAGMA "
                              "user_version = 8")
                    .ok());
  }
  // Read as it is, then brought up to date.
  for (bool isReadOnly : {true, false}) {
    TuningDb::Options options;
    options.path = folder / "tuning.db";
    options.access =
        isReadOnly ? TuningDb::Access::ReadOnly : TuningDb::Access::ReadWrite;
    auto db = TuningDb::open(options);
    ASSERT_TRUE(db.ok()) << db.status();
    auto lookup = (*db)->find(record.problem);
    ASSERT_TRUE(lookup.ok()) << lookup.status();
    EXPECT_EQ(lookup->freshness, Freshness::Fresh);
    EXPECT_EQ(lookup->record.legal, 864);
    EXPECT_FALSE(lookup->record.descended);
    EXPECT_EQ(countFound(lookup->record), 0);
  }
  record.descended = true;
  record.rows.back().foundFrom = record.rows.front().candidate.name;
  record.problem.key = "q";
  put(*folder.openDb(), record);
  auto again = folder.openDb()->find(record.problem);
  EXPECT_TRUE(again->record.descended);
  EXPECT_EQ(countFound(again->record), 1);
}

TEST(TuningDb, AProvisionalDescentReplacesAQuieterRecordWithoutOne) {
  TempFolder folder;
  auto db = folder.openDb();
  Record record = makeRecord();
  record.state = RecordState::Provisional;
  record.noise = {0.1, 1, 2};
  put(*db, record);
  record.descended = true;
  record.noise = {0.4, 2, 2};
  auto id = db->begin(record.problem, record.candidates, /*restart=*/true);
  ASSERT_TRUE(db->finish(*id, record).ok());
  EXPECT_TRUE(db->find(record.problem)->record.descended);
  // But not the other way round.
  record.descended = false;
  record.noise = {0.1, 1, 2};
  id = db->begin(record.problem, record.candidates, /*restart=*/true);
  ASSERT_TRUE(db->finish(*id, record).ok());
  EXPECT_TRUE(db->find(record.problem)->record.descended);
}

TEST(TuningDb, AProvisionalRecordOfAllLegalOnesReplacesAQuieterDescent) {
  TempFolder folder;
  auto db = folder.openDb();
  Record descent = makeRecord();
  descent.state = RecordState::Provisional;
  descent.descended = true;
  descent.legal = 3;
  descent.noise = {0.1, 1, 2};
  put(*db, descent);
  Record all = descent;
  all.descended = false;
  all.noise = {0.4, 2, 2};
  all.rows.emplace_back(all.rows.back()).candidate.name = "third";
  auto id = db->begin(all.problem, all.candidates, /*restart=*/true);
  ASSERT_TRUE(db->finish(*id, all).ok());
  EXPECT_EQ(db->find(all.problem)->record.rows.size(), 3u);
  // But not the other way round.
  id = db->begin(descent.problem, descent.candidates, /*restart=*/true);
  ASSERT_TRUE(db->finish(*id, descent).ok());
  EXPECT_EQ(db->find(all.problem)->record.rows.size(), 3u);
}

TEST(TuningDb, AnExportOfADescentIsReadAndOneWithoutToo) {
  TempFolder folder;
  auto db = folder.openDb();
  Record record = makeRecord();
  record.descended = true;
  record.rows.back().foundFrom = "a row";
  put(*db, record);
  auto json = nlohmann::json::parse(*db->exportJson());
  auto copied = folder.openDb("copy.db");
  ASSERT_TRUE(copied->importJson(json.dump()).ok());
  EXPECT_TRUE(copied->records()->front().descended);
  EXPECT_EQ(copied->records()->front().rows.back().foundFrom, "a row");
  json["records"][0].erase("descended");
  for (auto &row : json["records"][0]["rows"]) {
    row.erase("found_from");
  }
  auto older = folder.openDb("older.db");
  ASSERT_TRUE(older->importJson(json.dump()).ok());
  EXPECT_FALSE(older->records()->front().descended);
  EXPECT_EQ(countFound(older->records()->front()), 0);
  json["records"][0]["descended"] = 1;
  EXPECT_FALSE(folder.openDb("bad.db")->importJson(json.dump()).ok());
}

} // namespace
} // namespace minic::tune
