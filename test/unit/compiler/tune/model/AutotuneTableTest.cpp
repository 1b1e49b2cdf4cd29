// SPDX-License-Identifier: Apache-2.0
//
// The table as text.

#include "compiler/tune/search/AutotuneTable.h"
#include "compiler/tune/model/TuneReport.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace minic::tune {
namespace {

using testing::HasSubstr;

Row makeRow(const std::string &label, const std::string &name, double us,
            double ratio) {
  Row row;
  row.candidate.label = label;
  row.candidate.name = name;
  row.status = RowStatus::Verified;
  row.timeUs = row.screenUs = us;
  row.ratio = row.ratioLow = row.ratioHigh = ratio;
  row.timeError = 0.003;
  row.maxAbsoluteError = 1.7e-3;
  row.samplesUs = {us, us};
  return row;
}

TunedProblem makeProblem() {
  TunedProblem tuned;
  tuned.measured = true;
  tuned.record.problem.description = "linear_relu(256x1024, 1024x1024) f32";
  tuned.record.problem.deviceName = "Test CPU";
  tuned.record.state = RecordState::Complete;
  tuned.record.buildSeconds = 1.2;
  tuned.record.verifySeconds = 0.2;
  tuned.record.measureSeconds = 0.5;
  tuned.record.listSeconds = 0.1;
  tuned.record.loadSeconds = 0.4;
  tuned.record.waitSeconds = 0.2;
  auto &rows = tuned.record.rows;
  rows.push_back(makeRow("aten", "aten onednn + relu", 4700, 1.34));
  rows.push_back(makeRow("generated", "gemm_packed 8x32", 3500, 1));
  rows.push_back(makeRow("library-fused", "onednn", 5000, 0));
  rows.back().timeUs = 0;
  rows.back().timeError = 0;
  rows.push_back(makeRow("generated", "gemm_packed 6x64", 1, 1));
  rows.back().status = RowStatus::Wrong;
  rows.back().reason = "error 0.4 > 7e-3";
  tuned.selection = select(rows);
  return tuned;
}

TEST(AutotuneTable, RowsSayThatDescentFoundThem) {
  TunedProblem tuned = makeProblem();
  tuned.record.rows[1].foundFrom = "gemm_packed 4x32";
  std::string text = formatTable(tuned);
  EXPECT_THAT(text, HasSubstr("gemm_packed 8x32     3.5000 ms ±0.3%  100.0%  "
                              "error 1.7e-03  descent\n"));
  EXPECT_THAT(text, HasSubstr("; found from gemm_packed 4x32\n"));
  EXPECT_THAT(text, HasSubstr("candidates, 1 of them found by descent"));
}

TEST(AutotuneTable, LooksAsDocumented) {
  EXPECT_EQ(formatTable(makeProblem()),
            "AUTOTUNE linear_relu(256x1024, 1024x1024) f32 on Test CPU\n"
            "  generated gemm_packed 8x32     3.5000 ms ±0.3%  100.0%  error "
            "1.7e-03\n"
            "  aten onednn + relu             4.7000 ms ±0.3%   74.6%  error "
            "1.7e-03\n"
            "  library-fused onednn           5.0000 ms screen   70.0%  error "
            "1.7e-03\n"
            "  rejected: gemm_packed 6x64 (wrong: error 0.4 > 7e-3)\n"
            "  chosen: gemm_packed 8x32, 34.0% faster than aten onednn + relu\n"
            "tuned in 1.4 s (list 0.1, load 0.4, verify 0.2, measure 0.5, wait "
            "0.2; build 1.2 core-s) over 4 candidates\n");
}

// The tie rule may choose one that is a little slower; the screen is coarser
// than the final. Neither makes anyone faster than the fastest.
TEST(AutotuneTable, NobodyIsFasterThanTheFastest) {
  TunedProblem problem = makeProblem();
  auto &rows = problem.record.rows;
  rows[0].ratio = 1.01;
  rows[0].ratioLow = 0.99;
  rows[0].scratchBytes = 0;
  rows[1].scratchBytes = 4096;
  rows[2].screenUs = 3400;
  problem.selection = select(rows);
  ASSERT_EQ(problem.selection.row, 0);
  std::string table = formatTable(problem);
  EXPECT_THAT(table, testing::ContainsRegex("aten onednn .* 99.0%"));
  EXPECT_THAT(table, testing::ContainsRegex("8x32 .* 100.0%"));
  EXPECT_THAT(table, testing::ContainsRegex("onednn  .*3.4000 ms screen +-  "));
}

TEST(AutotuneTable, HasOneUnit) {
  TunedProblem problem = makeProblem();
  problem.record.rows[1].timeUs = 9.5;
  problem.record.rows[0].timeUs = 12.7;
  std::string table = formatTable(problem);
  EXPECT_THAT(table, testing::HasSubstr("9.5000 us"));
  EXPECT_THAT(table, testing::HasSubstr("12.7000 us"));
}

TEST(AutotuneTable, SaysHowNoisyTheMachineWas) {
  TunedProblem problem = makeProblem();
  problem.record.noise = {0.38, 2.1, 2};
  problem.record.state = RecordState::Provisional;
  EXPECT_THAT(formatTable(problem),
              testing::HasSubstr(
                  "  provisional: the finalists were undecided when time "
                  "ended\n  2 other processes on 2 cores: samples vary by "
                  "38 %\ntuned in "));
}

// What is not stored is not said to have taken no time.
TEST(AutotuneTable, ARecordHasTheSecondsThatAreStored) {
  TunedProblem problem = makeProblem();
  problem.measured = false;
  EXPECT_THAT(formatTable(problem),
              testing::HasSubstr("\ntested in 0.7 s (verify 0.2, measure 0.5; "
                                 "build 1.2 core-s) over 4 candidates\n"));
  problem.record.clock = {1545, 1980};
  EXPECT_THAT(formatTable(problem),
              testing::EndsWith(" over 4 candidates; SM clock 1545 to 1980 "
                                "MHz\n"));
}

TEST(TuneReport, HoldsEverySample) {
  TempFolder folder;
  TunedProblem problem = makeProblem();
  WholeModelResult verdicts;
  verdicts.plans.emplace().backToBack.ratio = 0.9;
  problem.record.clock = {1545, 1980};
  std::string path = folder / "report.json";
  ASSERT_TRUE(writeReport(path, formatReport({&problem, 1}, &verdicts)).ok());
  std::ifstream file(path);
  auto json = nlohmann::json::parse(file);
  EXPECT_EQ(json["problems"][0]["chosen"], "gemm_packed 8x32");
  EXPECT_EQ(json["problems"][0]["record"]["rows"][1]["samples_us"].size(), 2u);
  EXPECT_EQ(json["problems"][0]["record"]["sm_clock_mhz"],
            nlohmann::json({{"low", 1545.0}, {"high", 1980.0}}));
  EXPECT_EQ(json["whole_model"]["back_to_back"]["ratio"], 0.9);
  EXPECT_TRUE(json["graph"].is_null());
  absl::Status status = writeReport("/nowhere/report.json", "x");
  EXPECT_EQ(status.message(), "cannot write tune report '/nowhere/report.json'"
                              ": No such file or directory");
}

} // namespace
} // namespace minic::tune
