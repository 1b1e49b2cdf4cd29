// SPDX-License-Identifier: Apache-2.0
//
// Files that are not, or not any more, a tuning database: one clear line, and
// not a byte of them is changed.

#include "compiler/tune/database/Sqlite.h"
#include "test/unit/compiler/tune/FakeMachine.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include <gmock/gmock.h>

#include <iterator>

#include <filesystem>
#include <fstream>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace minic::tune {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string slurp(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Opens `path` in both ways, expects `what`, and that it did not change.
void expectRejected(const std::string &path, const std::string &what) {
  std::string before = slurp(path);
  for (auto access :
       {TuningDb::Access::ReadWrite, TuningDb::Access::ReadOnly}) {
    TuningDb::Options options;
    options.path = path;
    options.access = access;
    options.busySeconds = 0.3;
    auto db = TuningDb::open(options);
    absl::Status status = db.status();
    if (status.ok()) {
      status = (*db)->records().status();
    }
    ASSERT_FALSE(status.ok());
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("\n")));
  }
  EXPECT_EQ(slurp(path), before);
}

void execute(const std::string &path, const char *sql) {
  auto db = Sqlite::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 1,
                         nullptr);
  ASSERT_TRUE(db.ok());
  absl::Status status = (*db)->execute(sql);
  EXPECT_TRUE(status.ok()) << status;
}

/// A database with some pages of content, its log folded into it.
void fill(const TempFolder &folder, const std::string &path) {
  {
    auto db = folder.openDb();
    FakeMachine machine;
    for (int i = 0; i < 50; ++i) {
      TuningTask task = makeTask(machine, "p" + std::to_string(i), {});
      task.problem.text = std::string(500, 'x');
      ASSERT_TRUE(db->begin(task.problem, 1, false).ok());
    }
  }
  execute(path, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE");
}

TEST(TuningDbDamage, NotSqlite) {
  TempFolder folder;
  std::string path = folder / "tuning.db";
  std::ofstream(path) << std::string(5000, 'a');
  expectRejected(path, "is not a tuning database");
}

TEST(TuningDbDamage, ShortGarbage) {
  TempFolder folder;
  std::string path = folder / "tuning.db";
  std::ofstream(path) << "hello";
  expectRejected(path, "is not a tuning database");
}

TEST(TuningDbDamage, DatabaseOfAnotherProgram) {
  TempFolder folder;
  std::string path = folder / "tuning.db";
  execute(path, "CREATE TABLE bookmarks(url TEXT)");
  expectRejected(path, "is a database of another program");
}

TEST(TuningDbDamage, NewerSchema) {
  TempFolder folder;
  std::string path = folder / "tuning.db";
  fill(folder, path);
  execute(path, "PRAGMA user_version = 10");
  expectRejected(path,
                 "has schema version 10, this minic reads versions 1 to 9");
}

TEST(TuningDbDamage, CorruptedPages) {
  TempFolder folder;
  std::string path = folder / "tuning.db";
  fill(folder, path);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(size_t(std::filesystem::file_size(path)) - 4096,
                        '\xff');
  }
  expectRejected(path, "is damaged");
}

TEST(TuningDbDamage, Truncated) {
  TempFolder folder;
  std::string path = folder / "tuning.db";
  fill(folder, path);
  std::filesystem::resize_file(path, 4096);
  expectRejected(path, "is damaged");
}

TEST(TuningDbDamage, AnyFlippedByteIsNoCrash) {
  TempFolder folder;
  std::string path = folder / "tuning.db";
  fill(folder, path);
  std::string good = slurp(path);
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    std::string bad = good;
    bad[random() % bad.size()] ^= char(1 << (random() % 8));
    std::ofstream(path, std::ios::binary) << bad;
    TuningDb::Options options;
    options.path = path;
    options.busySeconds = 0;
    auto db = TuningDb::open(options);
    if (db.ok()) {
      (void)(*db)->records();
    }
  }
}

TEST(TuningDbDamage, AFolder) {
  TempFolder folder;
  TuningDb::Options options;
  options.path = folder.path;
  EXPECT_THAT(std::string(TuningDb::open(options).status().message()),
              HasSubstr("is a folder"));
}

TEST(TuningDbDamage, NotWritable) {
  if (geteuid() == 0) {
    GTEST_SKIP() << "root may write anything";
  }
  TempFolder folder;
  std::string path = folder / "tuning.db";
  fill(folder, path);
  chmod(path.c_str(), 0444);
  chmod(folder.path.c_str(), 0555);
  TuningDb::Options options;
  options.path = path;
  EXPECT_THAT(std::string(TuningDb::open(options).status().message()),
              HasSubstr("cannot be opened for writing"));
  options.access = TuningDb::Access::ReadOnly;
  auto db = TuningDb::open(options);
  EXPECT_TRUE(db.ok()) << db.status();
  options.access = TuningDb::Access::ReadWrite;
  options.path = folder / "other.db";
  EXPECT_THAT(std::string(TuningDb::open(options).status().message()),
              HasSubstr("cannot be opened for writing"));
  chmod(folder.path.c_str(), 0755);
}

TEST(TuningDbDamage, ImpossibleFolder) {
  TuningDb::Options options;
  options.path = "/proc/nowhere/tuning.db";
  EXPECT_THAT(std::string(TuningDb::open(options).status().message()),
              HasSubstr("folder cannot be created"));
}

TEST(TuningDbDamage, MissingFileForReading) {
  TuningDb::Options options;
  options.path = "/nowhere/tuning.db";
  options.access = TuningDb::Access::ReadOnly;
  EXPECT_EQ(TuningDb::open(options).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(TuningDbDamage, LockedIsWaitedForSaidOnceThenAnError) {
  TempFolder folder;
  auto holder = folder.openDb();
  auto lock =
      Sqlite::open(folder / "tuning.db", SQLITE_OPEN_READWRITE, 1, nullptr);
  ASSERT_TRUE((*lock)->execute("BEGIN IMMEDIATE").ok());
  std::vector<std::string> lines;
  TuningDb::Options options;
  options.path = folder / "tuning.db";
  options.busySeconds = 0.5;
  options.notify = [&](const std::string &line) { lines.push_back(line); };
  auto db = TuningDb::open(options);
  ASSERT_TRUE(db.ok()) << db.status();
  FakeMachine machine;
  TuningTask task = makeTask(machine, "p", {});
  for (int i = 0; i < 2; ++i) {
    absl::Status status = (*db)->begin(task.problem, 1, false).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(status.message()), HasSubstr("still locked"));
  }
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("waiting for tuning database"));
  ASSERT_TRUE((*lock)->execute("ROLLBACK").ok());
  EXPECT_TRUE((*db)->begin(task.problem, 1, false).ok());
}

} // namespace
} // namespace minic::tune
