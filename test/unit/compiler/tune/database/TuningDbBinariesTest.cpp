// SPDX-License-Identifier: Apache-2.0

#include "compiler/tune/database/Sqlite.h"
#include "test/unit/compiler/tune/TempFolder.h"
#include "test/unit/compiler/tune/database/OlderDatabase.h"

#include <gtest/gtest.h>

namespace minic::tune {
namespace {

class TuningDbBinariesTest : public testing::Test {
protected:
  void execute(const char *sql) {
    auto raw =
        Sqlite::open(folder / "tuning.db", SQLITE_OPEN_READWRITE, 1, nullptr);
    ASSERT_TRUE(raw.ok());
    absl::Status status = (*raw)->execute(sql);
    EXPECT_TRUE(status.ok()) << status;
  }
  bool has(const std::string &key) {
    auto found = db->findBinary(key);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() && found->has_value();
  }

  TempFolder folder;
  std::unique_ptr<TuningDb> db = folder.openDb();
  StoredBinary binary{std::string("ELF\0\xff cubin", 11), "40 registers"};
};

TEST_F(TuningDbBinariesTest, IsFoundByItsKeyOnly) {
  EXPECT_FALSE(has("k"));
  ASSERT_TRUE(db->putBinary("k", binary).ok());
  auto found = folder.openDb()->findBinary("k"); // opened anew
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->bytes, binary.bytes);
  EXPECT_EQ((*found)->log, binary.log);
  EXPECT_FALSE(has("other version"));
  EXPECT_EQ(*db->binaries(), 1);
}

TEST_F(TuningDbBinariesTest, DamageIsAMissAndReplaced) {
  for (const char *damage :
       {"UPDATE binary SET bytes = x'7f454c46'",
        "UPDATE binary SET log = '41 registers'",
        "UPDATE binary SET hash = 'x'", "UPDATE binary SET bytes = x''"}) {
    ASSERT_TRUE(db->putBinary("k", binary).ok());
    EXPECT_TRUE(has("k"));
    execute(damage);
    EXPECT_FALSE(has("k")) << damage;
  }
  ASSERT_TRUE(db->putBinary("k", binary).ok());
  EXPECT_TRUE(has("k"));
  EXPECT_EQ(*db->binaries(), 1);
}

TEST_F(TuningDbBinariesTest, TheOldestLeave) {
  for (int i = 0; i < 260; ++i) {
    ASSERT_TRUE(db->putBinary("k" + std::to_string(i), binary).ok());
  }
  EXPECT_EQ(*db->binaries(), 256);
  EXPECT_FALSE(has("k3"));
  EXPECT_TRUE(has("k4"));
  EXPECT_TRUE(has("k259"));
}

TEST_F(TuningDbBinariesTest, IsPrunedWithRecordsAndNotExported) {
  ASSERT_TRUE(db->putBinary("k", binary).ok());
  auto copy = folder.openDb("copy.db");
  ASSERT_TRUE(copy->importJson(*db->exportJson()).ok());
  EXPECT_EQ(*copy->binaries(), 0);
  ASSERT_TRUE(db->prune({.olderThanDays = 1}).ok());
  EXPECT_TRUE(has("k"));
  execute("UPDATE binary SET created = '2020-01-01T00:00:00Z'");
  ASSERT_TRUE(db->prune({.olderThanDays = 1}).ok());
  EXPECT_FALSE(has("k"));
  ASSERT_TRUE(db->putBinary("k", binary).ok());
  ASSERT_TRUE(db->prune({.all = true}).ok());
  EXPECT_FALSE(has("k"));
}

TEST_F(TuningDbBinariesTest, AnOlderDatabaseHasNone) {
  ASSERT_TRUE(db->putBinary("k", binary).ok());
  makeOlder(folder / "tuning.db", 2);
  TuningDb::Options options;
  options.path = folder / "tuning.db";
  options.access = TuningDb::Access::ReadOnly;
  db = *TuningDb::open(options);
  EXPECT_FALSE(has("k"));
  EXPECT_EQ(*db->binaries(), 0);
  EXPECT_FALSE(db->putBinary("k", binary).ok());
  db = folder.openDb();
  EXPECT_FALSE(has("k"));
  ASSERT_TRUE(db->putBinary("k", binary).ok());
  EXPECT_TRUE(has("k"));
}

} // namespace
} // namespace minic::tune
