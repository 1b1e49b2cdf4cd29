// SPDX-License-Identifier: Apache-2.0
//
// What of a database ships, and what of that is used.

#include "compiler/tune/search/ShippedRows.h"

#include <gmock/gmock.h>

namespace minic::tune {
namespace {

using ::testing::ElementsAre;

constexpr const char *h200 = "cuda cc 9.0 sms 132 clock 1980 MHz l2 61440 KiB "
                             "memory 4814 GB/s mig no";
constexpr const char *slower = "cuda cc 9.0 sms 132 clock 1500 MHz l2 61440 "
                               "KiB memory 4814 GB/s mig no";
constexpr const char *slice = "cuda cc 9.0 sms 16 clock 1980 MHz l2 61440 KiB "
                              "memory 4814 GB/s mig yes";

Row rowOf(const std::string &name, double us, bool isDeterministic = true) {
  Row row;
  row.candidate.name = name;
  row.candidate.label = "generated";
  row.candidate.sources = "gemm";
  row.status = RowStatus::Verified;
  row.timeUs = us;
  row.ratio = row.ratioLow = row.ratioHigh = us;
  row.deterministic = isDeterministic;
  return row;
}

Record recordOf(std::vector<Row> rows, const std::string &key = "p",
                const std::string &created = "2026-01-02T00:00:00Z") {
  Record record;
  record.problem.key = key;
  record.problem.device = h200;
  record.problem.deviceName = "NVIDIA Test";
  record.problem.backends = "generated";
  record.problem.versions = {{{"conv", "1"}, {"gemm", "1"}, {"minic", "1"}},
                             "cuBLAS 13.1"};
  record.state = RecordState::Complete;
  record.created = created;
  record.rows = std::move(rows);
  return record;
}

std::vector<std::string> namesOf(const std::vector<Row> &rows) {
  std::vector<std::string> names;
  for (const Row &row : rows) {
    names.push_back(row.candidate.name);
  }
  return names;
}

TEST(SelectToShip, WinnersUnderEachPolicyShip) {
  Record record =
      recordOf({rowOf("slow", 9), rowOf("second", 4),
                rowOf("best registers=4", 1, false),
                rowOf("repeatable registers=4", 2), rowOf("plain", 3, false)});
  std::vector<Record> shipped = selectToShip({record}, "NVIDIA Test");
  ASSERT_EQ(shipped.size(), 1u);
  EXPECT_THAT(namesOf(shipped[0].rows),
              ElementsAre("best registers=4", "plain", "repeatable registers=4",
                          "second"));
  shipped = selectToShip({recordOf({rowOf("slow", 9), rowOf("fast", 1)})},
                         "NVIDIA Test");
  ASSERT_EQ(shipped.size(), 1u);
  EXPECT_THAT(namesOf(shipped[0].rows), ElementsAre("fast"));
}

TEST(SelectToShip, TheNewestFinishedRecordOfAProblemShips) {
  Record old = recordOf({rowOf("old", 1)}, "p", "2026-01-01T00:00:00Z");
  Record fresh = recordOf({rowOf("new", 1)}, "p", "2026-01-03T00:00:00Z");
  Record cut = recordOf({rowOf("cut", 1)}, "p", "2026-01-04T00:00:00Z");
  cut.state = RecordState::Partial;
  Record killed = recordOf({rowOf("killed", 1)}, "p", "2026-01-05T00:00:00Z");
  killed.state = RecordState::Running;
  Record elsewhere = recordOf({rowOf("elsewhere", 1)}, "q");
  elsewhere.problem.deviceName = "NVIDIA Other";
  Record failed = recordOf({rowOf("wrong", 1)}, "r");
  failed.rows[0].status = RowStatus::Wrong;
  Record foreign = recordOf({rowOf("mine", 1)}, "s");
  foreign.rows[0].candidate.label = "user";
  Record plugin = recordOf({rowOf("cutlass", 1)}, "t");
  plugin.rows[0].candidate.label = "plugin";
  Record noisy = recordOf({rowOf("noisy", 1)}, "p", "2026-01-06T00:00:00Z");
  noisy.state = RecordState::Provisional;
  std::vector<Record> all = {fresh,     old,    cut,     killed, noisy,
                             elsewhere, failed, foreign, plugin};
  std::vector<Record> shipped = selectToShip(all, "NVIDIA Test");
  ASSERT_EQ(shipped.size(), 1u);
  EXPECT_THAT(namesOf(shipped[0].rows), ElementsAre("new"));
  shipped = selectToShip(all, "NVIDIA Test", /*takesProvisional=*/true);
  ASSERT_EQ(shipped.size(), 1u);
  EXPECT_THAT(namesOf(shipped[0].rows), ElementsAre("noisy"));
}

class FindShipped : public ::testing::Test {
protected:
  /// The name of the row that is found; "none", or "stale" of a record that
  /// gives none.
  std::string find(const SelectionPolicy &policy = {}) {
    ShippedRow found = findShipped(shipped, problem, policy);
    return !found.record ? "none"
           : !found.row  ? "stale"
                         : found.row->candidate.name;
  }

  ShippedRecords shipped{
      "NVIDIA Test",
      "580",
      {recordOf({rowOf("best registers=4", 1, false), rowOf("second", 2)})}};
  ProblemSpec problem = shipped.records[0].problem;
};

TEST_F(FindShipped, TheFirstRowThatTheOptionsAllow) {
  EXPECT_EQ(find(), "best registers=4");
  EXPECT_EQ(find({.movesRegisters = false}), "second");
  EXPECT_EQ(find({.deterministic = true}), "second");
  shipped.records[0].rows.pop_back();
  EXPECT_EQ(find({.deterministic = true}), "stale");
}

TEST_F(FindShipped, AnotherProblemDeviceOrSetOfBackendsIsNotKnown) {
  ProblemSpec same = problem;
  problem.key = "q";
  EXPECT_EQ(find(), "none");
  problem = same;
  problem.backends = "aten";
  EXPECT_EQ(find(), "none");
  problem = same;
  problem.deviceName = "NVIDIA Test MIG 1g.18gb";
  EXPECT_EQ(find(), "none");
  problem = same;
  problem.device = slice;
  EXPECT_EQ(find(), "none");
  problem.device = "profile test";
  EXPECT_EQ(find(), "none");
  // Of the same name and kind, with another clock.
  problem.device = slower;
  EXPECT_EQ(find(), "best registers=4");
}

TEST_F(FindShipped, ARowIsUsedWhileItsSourcesAreTheSame) {
  problem.versions.sources["conv"] = "2";
  problem.versions.sources["new"] = "1";
  problem.versions.libraries = "";
  EXPECT_EQ(find(), "best registers=4");
  problem.versions.sources["gemm"] = "2";
  EXPECT_EQ(find(), "stale");
}

TEST_F(FindShipped, ALibraryThatIsNotHereIsNotCalled) {
  shipped.records[0].rows[0].candidate.needsLibrary = true;
  EXPECT_EQ(find(), "best registers=4");
  problem.versions.libraries = "driver 13.0";
  EXPECT_EQ(find(), "stale");
}

TEST_F(FindShipped, TheRecordOfTheVeryKeyComesFirst) {
  Record newer = recordOf({rowOf("newer", 1)}, "p", "2026-02-01T00:00:00Z");
  newer.problem.device = slower;
  shipped.records.push_back(newer);
  EXPECT_EQ(find(), "best registers=4");
  problem.device = slower;
  EXPECT_EQ(find(), "newer");
  problem.device = "cuda cc 9.0 sms 132 clock 1000 MHz l2 61440 KiB memory "
                   "4814 GB/s mig no";
  EXPECT_EQ(find(), "newer");
}

} // namespace
} // namespace minic::tune
