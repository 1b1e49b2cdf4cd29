// SPDX-License-Identifier: Apache-2.0
//
// minic-bench from outside: figures that agree with each other, errors, exit
// codes. Nothing depends on how fast the machine is.

#include "test/unit/tools/ToolProcess.h"

#include "nlohmann/json.hpp"
#include "gmock/gmock.h"

namespace minic::testing {
namespace {

using ::testing::HasSubstr;

class BenchTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    for (const char *name : {"a.minic", "b.minic"}) {
      TestArtifact artifact = scaleArtifact(1000);
      artifact.function().flops = 2000;
      write(name, artifact);
    }
    tool = copyTool(MINIC_BENCH);
  }
  ToolResult bench(const std::string &arguments) const {
    return execute(tool + " " + arguments);
  }
  std::string tool;
};

TEST_F(BenchTest, TableAndJson) {
  ToolResult result =
      bench("a.minic --compare=b.minic --rounds=8 --sample-ms=0.1 "
            "--overhead --json=r.json");
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("8 rounds, caches warm"));
  EXPECT_THAT(result.output, HasSubstr("time of b.minic / a.minic: "));
  EXPECT_THAT(result.output, HasSubstr("95% interval ["));
  EXPECT_THAT(result.output, HasSubstr("takes at least"));

  auto json = nlohmann::json::parse(read("r.json"), nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_FALSE(json["device"]["name"].get<std::string>().empty());
  EXPECT_EQ(json["rounds"], 8);
  EXPECT_GT(json["peaks"]["f32"]["gflops"].get<double>(), 0);
  ASSERT_EQ(json["artifacts"].size(), 2u);
  for (const auto &artifact : json["artifacts"]) {
    EXPECT_EQ(artifact["samples_us"].size(), 8u);
    double median = artifact["median_us"];
    EXPECT_GT(median, 0);
    EXPECT_LE(artifact["best_us"].get<double>(), median);
    EXPECT_LE(median, artifact["p90_us"].get<double>());
    EXPECT_LE(artifact["p90_us"].get<double>(),
              artifact["p99_us"].get<double>());
    EXPECT_NEAR(artifact["gflops"].get<double>(), 2000 / (median * 1e3), 1e-9);
  }
  const auto &comparison = json["comparisons"][0];
  EXPECT_LE(comparison["low"].get<double>(),
            comparison["time_ratio"].get<double>());
  EXPECT_LE(comparison["time_ratio"].get<double>(),
            comparison["high"].get<double>());
}

TEST_F(BenchTest, TracesWhereTheTimeGoes) {
  TestArtifact artifact = scaleArtifact(100000);
  artifact.variant().evidence =
      R"({"fusions": [{"label": "scale(100000) f32", "choice": "hand",
          "rooflineUs": 0.001, "bytes": 800000, "commands": [0, 7, -1, "x"]}]})";
  artifact.fill(outputAddress(0), 0, 4);
  write("traced.minic", artifact);
  ToolResult result = bench("traced.minic --compare=a.minic --rounds=6 "
                            "--sample-ms=0.1 --trace=run.json");
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output,
              HasSubstr("traced.minic, traced by the steady clock: "));
  EXPECT_THAT(result.output, HasSubstr("2 commands, busy "));
  EXPECT_THAT(result.output, HasSubstr("  scale(100000) f32: hand\n"));
  EXPECT_THAT(result.output, HasSubstr("  -: fill\n"));
  auto json = nlohmann::json::parse(read("run.json"), nullptr, false);
  ASSERT_TRUE(json.is_object());
  const auto &artifacts = json["minic"]["artifacts"];
  ASSERT_EQ(artifacts.size(), 2u);
  const auto &traced = artifacts[0];
  EXPECT_EQ(traced["path"], "traced.minic");
  EXPECT_GE(traced["runs"].get<int>(), 5);
  EXPECT_LE(traced["busy_us"].get<double>(), traced["span_us"].get<double>());
  ASSERT_EQ(traced["commands"].size(), 2u);
  EXPECT_EQ(traced["commands"][0]["fusion"], 0);
  EXPECT_EQ(traced["commands"][0]["implementation"], "hand");
  EXPECT_EQ(traced["commands"][1]["fusion"], nullptr);
  // What works is drawn: both commands, and the worker of the launch.
  size_t works = 0;
  for (const auto &event : json["traceEvents"]) {
    if (event["pid"] == 0 && event["ph"] == "X") {
      ++works;
      EXPECT_GE(event["dur"].get<double>(), 0);
    }
  }
  EXPECT_EQ(works, 3u);
}

TEST_F(BenchTest, ATraceThatCannotBeWritten) {
  ToolResult result =
      bench("a.minic --rounds=3 --sample-ms=0 --trace=missing/run.json");
  EXPECT_EQ(result.exitCode, 3);
  EXPECT_THAT(result.errors, HasSubstr("missing/run.json"));
  EXPECT_THAT(result.output, HasSubstr("3 rounds")); // nothing is lost
}

TEST_F(BenchTest, ShareOfThePeakOfTheDtype) {
  TestArtifact artifact = scaleArtifact(1000);
  artifact.function().flops = 1;
  artifact.variant().evidence =
      R"({"fusions": [{"dtype": "bf16", "flops": 1, "choice": "one"}]})";
  write("some.minic", artifact);
  // More than any peak allows: no share is told.
  artifact.function().flops = uint64_t(1) << 60;
  write("all.minic", artifact);
  ToolResult result = bench("a.minic --compare=some.minic --compare=all.minic "
                            "--rounds=6 --sample-ms=0.1 --json=r.json");
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("; f32 peak "));
  EXPECT_THAT(result.output, HasSubstr("; bf16 peak "));
  EXPECT_THAT(result.output, HasSubstr(" unknown\n"));
  EXPECT_THAT(result.output, HasSubstr(" TFLOP/s "));
  EXPECT_THAT(result.output,
              HasSubstr("\nall.minic: share of the peak unknown: it is "));
  auto json = nlohmann::json::parse(read("r.json"), nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_GT(json["peaks"]["bf16"]["gflops"].get<double>(), 0);
  EXPECT_GT(json["artifacts"][1]["share_of_peak"].get<double>(), 0);
  EXPECT_TRUE(json["artifacts"][2]["share_of_peak"].is_null());
}

TEST_F(BenchTest, KnowsEqualChoices) {
  for (const char *choice : {"one", "two"}) {
    TestArtifact artifact = scaleArtifact(1000);
    artifact.variant().evidence =
        R"({"fusions": [{"choice": ")" + std::string(choice) + R"("}]})";
    write(std::string(choice) + ".minic", artifact);
  }
  ToolResult result = bench("one.minic --compare=one.minic --compare=two.minic "
                            "--compare=a.minic --rounds=3 --sample-ms=0.1 "
                            "--json=r.json");
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  auto json = nlohmann::json::parse(read("r.json"), nullptr, false);
  ASSERT_EQ(json["comparisons"].size(), 3u);
  EXPECT_TRUE(json["comparisons"][0].contains("equal_choices"));
  EXPECT_FALSE(json["comparisons"][1].contains("equal_choices"));
  EXPECT_FALSE(json["comparisons"][2].contains("equal_choices"));
}

TEST_F(BenchTest, ColdAndSingleRuns) {
  ToolResult cold = bench("a.minic --rounds=3 --cold");
  EXPECT_EQ(cold.exitCode, 0) << cold.errors;
  EXPECT_THAT(cold.output, HasSubstr("caches cold"));
  EXPECT_THAT(cold.output, HasSubstr("a sample is the mean of 1 run\n"));
  ToolResult single = bench("a.minic --rounds=3 --sample-ms=0");
  EXPECT_THAT(single.output, HasSubstr("a sample is the mean of 1 run\n"));
  ToolResult timed = bench("a.minic --seconds=0.05");
  EXPECT_EQ(timed.exitCode, 0) << timed.errors;
}

TEST_F(BenchTest, Errors) {
  EXPECT_EQ(bench("").exitCode, 2);
  EXPECT_EQ(bench("a.minic --rounds=0").exitCode, 2);
  EXPECT_EQ(bench("a.minic --rounds=3 --seconds=1").exitCode, 2);
  EXPECT_EQ(bench("--help").exitCode, 0);
  ToolResult missing = bench("a.minic --compare=c.minic --rounds=1");
  EXPECT_EQ(missing.exitCode, 3);
  EXPECT_THAT(missing.errors, HasSubstr("minic-bench: error: "));
  EXPECT_THAT(missing.errors, HasSubstr("c.minic"));
  EXPECT_EQ(bench("a.minic --rounds=1 --json=none/r.json").exitCode, 3);
  EXPECT_EQ(bench("a.minic --rounds=1 --check").exitCode, 4);
}

} // namespace
} // namespace minic::testing
