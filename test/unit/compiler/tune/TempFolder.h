// SPDX-License-Identifier: Apache-2.0
//
// TempFolder: a folder for one test, and a database in it.

#ifndef MINIC_TEST_UNIT_COMPILER_TUNE_TEMPFOLDER_H
#define MINIC_TEST_UNIT_COMPILER_TUNE_TEMPFOLDER_H

#include "compiler/tune/database/TuningDb.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace minic::tune {

class TempFolder {
public:
  TempFolder() {
    std::string pattern = testing::TempDir() + "minic-tune-test-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    path = pattern;
  }
  ~TempFolder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string &name) const {
    return path + "/" + name;
  }
  std::unique_ptr<TuningDb>
  openDb(const std::string &name = "tuning.db") const {
    TuningDb::Options options;
    options.path = path + "/" + name;
    auto db = TuningDb::open(options);
    EXPECT_TRUE(db.ok()) << db.status();
    return db.ok() ? *std::move(db) : nullptr;
  }
  std::string path;
};

} // namespace minic::tune

#endif // MINIC_TEST_UNIT_COMPILER_TUNE_TEMPFOLDER_H
