// SPDX-License-Identifier: Apache-2.0
//
// Devices that are known by the name that records have of them.

#include "test/unit/compiler/tune/TempFolder.h"

#include <gtest/gtest.h>

namespace minic::tune {
namespace {

const Versions current = {{{"gemm", "7"}}, ""};

class TuningDbDevicesTest : public ::testing::Test {
protected:
  void put(const std::string &key, const std::string &libraries,
           const std::string &created, const std::string &gemm = "7",
           bool isFinished = true) {
    Record record;
    record.problem.key = "p";
    record.problem.device = key;
    record.problem.deviceName = "NVIDIA Test";
    record.problem.backends = "generated";
    record.problem.versions = {{{"gemm", gemm}}, libraries};
    record.state = RecordState::Complete;
    record.created = created;
    auto id = db->begin(record.problem, 1, false);
    ASSERT_TRUE(id.ok()) << id.status();
    if (isFinished) {
      ASSERT_TRUE(db->finish(*id, record).ok());
    }
  }
  std::string find(const std::string &name = "NVIDIA Test") {
    auto found = db->findDevice(name, current);
    EXPECT_TRUE(found.ok()) << found.status();
    return *found ? (*found)->key + ", " + (*found)->libraries : "none";
  }

  TempFolder folder;
  std::unique_ptr<TuningDb> db = folder.openDb();
};

TEST_F(TuningDbDevicesTest, TheNewestFinishedRecordDecides) {
  EXPECT_EQ(find(), "none");
  put("slow clock", "driver 1", "2026-01-02T00:00:00Z");
  put("fast clock", "driver 2", "2026-01-03T00:00:00Z");
  put("killed", "driver 3", "2026-01-04T00:00:00Z", "7", false);
  EXPECT_EQ(find(), "fast clock, driver 2");
  EXPECT_EQ(find("NVIDIA Test MIG 1g.18gb"), "none");
}

TEST_F(TuningDbDevicesTest, OlderSourcesCountWhereNothingElseIs) {
  put("key", "driver 2", "2026-01-03T00:00:00Z", "6");
  EXPECT_EQ(find(), "key, driver 2"); // and its records are called stale
  put("key", "driver 1", "2026-01-01T00:00:00Z");
  EXPECT_EQ(find(), "key, driver 1");
}

} // namespace
} // namespace minic::tune
